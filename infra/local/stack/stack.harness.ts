import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import { expect } from 'vitest';
import type { StackFile, StackOrganization } from './stack-file.ts';

const responseTimeoutMs = 120_000;

/** Patterns of values in `stack.json` and in answers. */
export const like = {
  url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
  id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/) as string,
  text: expect.any(String) as string,
  pid: expect.any(Number) as number,
  list: expect.any(Array) as unknown[],
  secretKey: expect.stringMatching(/^relata_sk_/) as string,
  publishableKey: expect.stringMatching(/^relata_pk_/) as string,
  triggerSecret: expect.stringMatching(/^relata_whs_/) as string,
};

export type StackClient = (
  method: string,
  path: string,
  key: string,
  body?: object,
) => Promise<{ status: number; body: unknown }>;

/** Returns a client that sends JSON requests to a running stack and reads JSON answers. */
export function clientOf({ base_url: baseUrl }: StackFile): StackClient {
  return async (method, path, key, body) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { 'X-Api-Key': key, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(responseTimeoutMs),
    });
    return { status: response.status, body: await response.json() };
  };
}

export function organizationOf(stack: StackFile, name: 'Acme' | 'Globex'): StackOrganization {
  const found = stack.organizations.find((one) => one.name === name);
  if (!found) throw new Error(`There is no organization ${name}.`);
  return found;
}

const curlOptions = {
  silent: { type: 'boolean', short: 's' },
  'no-buffer': { type: 'boolean', short: 'N' },
  request: { type: 'string', short: 'X' },
  header: { type: 'string', short: 'H', multiple: true },
  data: { type: 'string', short: 'd' },
} as const;

/**
 * Sends the request of a curl command and returns the status. A shell splits the line, as if it were pasted. curl
 * itself need not be installed.
 */
export async function performCurl(line: string): Promise<number> {
  const { stdout } = await promisify(execFile)('sh', ['-c', `curl() { printf '%s\\0' "$@"; }; ${line}`]);
  const { values, positionals } = parseArgs({
    args: stdout.split('\0').slice(0, -1),
    options: curlOptions,
    allowPositionals: true,
  });
  const headers = (values.header ?? []).map((header) => header.split(/: (.*)/s).slice(0, 2) as [string, string]);
  const body = values.data === undefined ? {} : { body: values.data };
  const method = values.request ?? (values.data === undefined ? 'GET' : 'POST');
  const signal = AbortSignal.timeout(responseTimeoutMs);
  const response = await fetch(positionals.join(' '), { method, headers, ...body, signal });
  await response.arrayBuffer();
  return response.status;
}
