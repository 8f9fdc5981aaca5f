import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { Agent as HttpAgent, request as httpRequest } from '#base/node-http.ts';
import { isPublicAddress } from './judge-address.ts';
import { isLoopbackName, whyUnfit, type AddressRules } from './webhook-address.ts';

/** What a receiver answered. */
export interface Answer {
  readonly status: number;
  /** From the beginning of the request to the head of the answer. */
  readonly ms: number;
  /** The beginning of the answer, if it is text; else null. */
  readonly text: string | null;
  /** The receiver asks for so much time; null if it does not. */
  readonly retryAfterMs: number | null;
}

/** There was no answer. The reason is for the log only: a shop must not learn from it what is behind an address. */
export class NoAnswer extends Error {}

export interface Poster {
  /** Sends a body and returns the answer, whatever its status. It follows no redirect. @throws NoAnswer */
  post(
    address: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<Answer>;
  close(): void;
}

export interface PosterOptions {
  readonly rules: AddressRules;
  /** Tests have a name server and a certificate of their own. */
  readonly nameServer?: string;
  readonly ca?: string;
  readonly longestMs?: number;
}

/** The specification asks for 15 to 30 seconds. */
export const LONGEST_ANSWER_MS = 15_000;
const LONGEST_NAME_MS = 3_000;
/** The body of an answer says nothing that counts, so nobody waits for it for long. */
const LONGEST_BODY_MS = 1_000;
/** Up to this size, a body is read to its end, so that the connection can be used again. */
const MOST_BODY_BYTES = 16_384;
const SHOWN_BYTES = 256;
const MOST_HEAD_BYTES = 16_384;
/** An idle connection is closed after this time. */
const IDLE_MS = 10_000;
const LONGEST_PAUSE_MS = 3_600_000;

/** Creates what sends requests to addresses that strangers have chosen. Proxies of the environment are not used. */
export function createPoster({
  rules,
  nameServer,
  ca,
  longestMs = LONGEST_ANSWER_MS,
}: PosterOptions): Poster {
  const resolver = new Resolver({ timeout: LONGEST_NAME_MS / 2, tries: 2 });
  if (nameServer !== undefined) resolver.setServers([nameServer]);
  const lookup = createLookup(resolver, rules);
  const options = {
    keepAlive: true,
    maxFreeSockets: 8,
    timeout: IDLE_MS,
    scheduling: 'lifo',
    lookup,
  } as const;
  const http = new HttpAgent(options);
  const https = new HttpsAgent({ ...options, ...(ca !== undefined && { ca }) });

  return {
    async post(address, headers, body, signal) {
      const reason = whyUnfit(address, rules);
      if (reason !== null) throw new NoAnswer(reason);
      const within = AbortSignal.any([signal, AbortSignal.timeout(longestMs)]);
      const send = () => exchange(new URL(address), headers, body, within);
      try {
        return await send();
      } catch (error) {
        // The receiver closed an idle connection at the moment when it was used.
        if (error instanceof StaleConnection && !within.aborted) return send();
        throw error;
      }
    },

    close() {
      http.destroy();
      https.destroy();
      resolver.cancel();
    },
  };

  function exchange(
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<Answer> {
    const began = performance.now();
    const isHttps = url.protocol === 'https:';
    return new Promise((resolve, reject) => {
      const request = (isHttps ? httpsRequest : httpRequest)(url, {
        method: 'POST',
        agent: isHttps ? https : http,
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        maxHeaderSize: MOST_HEAD_BYTES,
        signal,
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        reject(isStale ? new StaleConnection() : new NoAnswer(error.message, { cause: error }));
      });
      request.once('response', (response) => {
        const ms = Math.round(performance.now() - began);
        const { statusCode: status = 0, headers } = response;
        void readBeginning(response).then((text) =>
          resolve({ status, ms, text, retryAfterMs: readRetryAfter(headers['retry-after']) }),
        );
      });
      // Node tells nobody of an answer 101 who does not ask, and closes the connection.
      request.once('upgrade', (_response, socket) => {
        socket.destroy();
        reject(new NoAnswer('it switched protocols'));
      });
      request.end(body);
    });
  }
}

class StaleConnection extends NoAnswer {}

/** Resolves a name, judges all that it leads to, and hands that on to be dialled. So a name cannot change its mind in between. */
function createLookup(resolver: Resolver, rules: AddressRules): LookupFunction {
  const find = callbackify(judge);
  return (name, { all }, done) =>
    find(name, (error, found) => {
      const [first] = found ?? [];
      if (first === undefined) done(error, '');
      else if (all === true) done(null, found);
      else done(null, first.address, first.family);
    });

  /** @throws NoAnswer if any of the addresses is not on the internet: then the name is not to be trusted */
  async function judge(name: string): Promise<LookupAddress[]> {
    if (rules.loopback && isLoopbackName(name)) return [{ address: '127.0.0.1', family: 4 }];
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    if (addresses.length === 0) throw new NoAnswer('the name leads nowhere');
    const bad = addresses.find((address) => !isPublicAddress(address));
    if (bad !== undefined) throw new NoAnswer(`the name leads to ${bad}`);
    return addresses.map((address) => ({ address, family: isIP(address) }));
  }
}

/**
 * Reads an answer for a moment, and returns its first bytes if they are text. An answer that is long or slow is cut off with its
 * connection.
 */
async function readBeginning(response: IncomingMessage): Promise<string | null> {
  const late = setTimeout(() => response.destroy(), LONGEST_BODY_MS);
  const parts: Buffer[] = [];
  let [kept, read] = [0, 0];
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      read += part.length;
      if (kept < SHOWN_BYTES) parts.push(part.subarray(0, SHOWN_BYTES - kept));
      kept = Math.min(SHOWN_BYTES, kept + part.length);
      if (read > MOST_BODY_BYTES) break;
    }
  } catch {
    // It was cut off. What arrived is enough.
  } finally {
    clearTimeout(late);
  }
  return isText(response.headers['content-type']) ? readable(Buffer.concat(parts)) : null;
}

function isText(contentType = ''): boolean {
  return /^\s*(text\/|application\/([a-z0-9.+-]+\+)?(json|xml)\b)/i.test(contentType);
}

/** Bytes that are no text become spaces; a character that was cut is left out. */
function readable(bytes: Buffer): string {
  return new TextDecoder()
    .decode(bytes)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .replace(/\uFFFD+$/, '')
    .trim();
}

/** Seconds or a date, as a time from now. */
function readRetryAfter(text: string | undefined): number | null {
  if (text === undefined) return null;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, LONGEST_PAUSE_MS) : null;
}
