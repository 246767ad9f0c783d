using System;
using System.IO;
using System.Linq;
using System.Net;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

class Receiver
{
    static byte[] key;

    static bool Verified(HttpListenerRequest request, byte[] body)
    {
        var sent = request.Headers["webhook-timestamp"] ?? "";
        if (!Regex.IsMatch(sent, @"\A[0-9]{1,12}\z")) return false;
        if (Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeSeconds() - long.Parse(sent)) > 300) return false;
        var text = Encoding.UTF8.GetBytes(request.Headers["webhook-id"] + "." + sent + ".").Concat(body).ToArray();
        using (var hmac = new HMACSHA256(key))
        {
            var want = "v1," + Convert.ToBase64String(hmac.ComputeHash(text));
            return (request.Headers["webhook-signature"] ?? "").Split(' ').Any(one => Same(one, want));
        }
    }

    // Same takes as long for any text of that length.
    static bool Same(string one, string want)
    {
        if (one.Length != want.Length) return false;
        var differs = 0;
        for (var i = 0; i < want.Length; i++) differs |= one[i] ^ want[i];
        return differs == 0;
    }

    static void Main()
    {
        key = Convert.FromBase64String((Environment.GetEnvironmentVariable("FICHARIO_SEGREDO") ?? "").Replace("whsec_", ""));
        if (key.Length == 0) throw new Exception("FICHARIO_SEGREDO is missing");
        var listener = new HttpListener();
        listener.Prefixes.Add("http://*:" + Environment.GetEnvironmentVariable("PORT") + "/");
        listener.Start();
        while (true)
        {
            var call = listener.GetContext();
            var body = new MemoryStream();
            call.Request.InputStream.CopyTo(body);
            var status = Verified(call.Request, body.ToArray()) ? 204 : 401;
            if (call.Request.HttpMethod != "POST" || call.Request.Url.AbsolutePath != "/fichario") status = 404;
            if (status == 204) Console.WriteLine(call.Request.Headers["webhook-id"] + " " + Encoding.UTF8.GetString(body.ToArray()));
            call.Response.StatusCode = status;
            call.Response.Close();
        }
    }
}
