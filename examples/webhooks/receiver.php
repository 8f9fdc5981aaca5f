<?php
// Takes webhooks with PHP 8 and nothing else.
//
//   WEBHOOK_SECRET=whsec_… php -S 127.0.0.1:8787 receiver.php
//
// While you change over to another secret, set WEBHOOK_SECRET to both, separated by a blank.
declare(strict_types=1);

const TOLERANCE_SECONDS = 300;

/** Compares the signatures as Standard Webhooks says. */
function isGenuine(string $body): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $given = array_filter(
        explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? ''),
        fn (string $signature): bool => str_starts_with($signature, 'v1,'),
    );
    foreach (explode(' ', (string) getenv('WEBHOOK_SECRET')) as $secret) {
        $key = base64_decode(substr($secret, strlen('whsec_')), true);
        if ($key === false || $key === '') {
            continue;
        }
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        foreach ($given as $signature) {
            if (hash_equals($expected, $signature)) {
                return true;
            }
        }
    }
    return false;
}

$body = (string) file_get_contents('php://input', length: 32768);
if (!isGenuine($body)) {
    http_response_code(401);
    exit;
}
// Answer soon, and work afterwards: an answer that takes over 15 seconds counts as none.
http_response_code(204);
$id = $_SERVER['HTTP_WEBHOOK_ID'];
if (!isNew($id)) {
    exit;
}
$event = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
$line = json_encode(['id' => $id, 'type' => $event['type'], 'data' => $event['data']['data']], JSON_THROW_ON_ERROR);
file_put_contents('php://stdout', "$line\n");

/**
 * Returns true for the first request with this id. A program of yours keeps the ids in its database instead, with a unique key, in the
 * transaction that handles the event.
 */
function isNew(string $id): bool
{
    $folder = getenv('SEEN_FOLDER') ?: sys_get_temp_dir() . '/loyalty-webhooks';
    @mkdir($folder, 0700, true);
    return @fopen("$folder/" . hash('sha256', $id), 'x') !== false;
}
