<?php
// receiver.php: php -S 0.0.0.0:$PORT receiver.php
$key = base64_decode(str_replace("whsec_", "", getenv("FICHARIO_SEGREDO") ?: ""));
if ($key === "") {
    http_response_code(500);
    error_log("FICHARIO_SEGREDO is missing");
    exit(1);
}
$body = file_get_contents("php://input");
$id = $_SERVER["HTTP_WEBHOOK_ID"] ?? "";
$sent = $_SERVER["HTTP_WEBHOOK_TIMESTAMP"] ?? "";
$want = "v1," . base64_encode(hash_hmac("sha256", "$id.$sent.$body", $key, true));
$fresh = preg_match('/^\d{1,12}$/D', $sent) && abs(time() - (int) $sent) <= 300;
$signed = false;
foreach (explode(" ", $_SERVER["HTTP_WEBHOOK_SIGNATURE"] ?? "") as $signature) {
    $signed = $signed || hash_equals($want, $signature);
}
if ($_SERVER["REQUEST_METHOD"] !== "POST" || $_SERVER["REQUEST_URI"] !== "/fichario") {
    http_response_code(404);
} elseif (!$fresh || !$signed) {
    http_response_code(401);
} else {
    file_put_contents("php://stderr", "$id $body\n");
    http_response_code(204);
}
