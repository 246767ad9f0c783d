<?php
// A whole service for this script, in memory; it ends with the script. FICHARIO is the path of the program.
$service = proc_open([getenv("FICHARIO") ?: "fichario", "serve", "--ephemeral", "--listen", "127.0.0.1:0"],
    [1 => ["pipe", "w"], 2 => ["file", "/dev/null", "w"]], $pipes);
$ready = json_decode(fgets($pipes[1]) ?: exit("the service did not start\n"), true);
register_shutdown_function(fn() => proc_terminate($service));

function send(string $method, string $url, string $key = "", ?string $body = null): array {
    $answer = file_get_contents($url, false, stream_context_create(["http" => [
        "method" => $method, "content" => $body, "ignore_errors" => true,
        "header" => ["Authorization: Bearer $key", "Content-Type: application/yaml"],
    ]]));
    return json_decode($answer ?: "null", true) ?? [];
}

// The bureau cannot be reached: nothing is charged.
send("PUT", $ready["url"] . "/_/script", body: "{cases: [{document: 52998224725, fault: refuse}]}");
$problem = send("GET", $ready["url"] . "/api/v1/cpf/52998224725", $ready["chave"]);
if (($problem["code"] ?? "") !== "bureau_indisponivel") exit("the bureau was reached\n");
$month = send("GET", $ready["url"] . "/api/v1/consultas", $ready["chave"]);
if (!str_contains(json_encode($month), '"mes":0')) exit("something was charged\n");
echo "ok: nothing was charged for what could not be sent\n";
