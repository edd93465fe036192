import { HttpClient } from '@relata/testbed/http-client';

/** Returns a function that reads a path of the API, and returns the body and the duration. Throws for other statuses. */
export function openReader(url: string, key: string) {
  const client = new HttpClient(url);
  return async <Body>(path: string): Promise<{ body: Body; ms: number }> => {
    const begun = performance.now();
    const { status, text } = await client.send({ path, headers: { 'x-api-key': key } });
    if (status !== 200) throw new Error(`${path} was answered with ${status}: ${text.slice(0, 300)}`);
    const body = JSON.parse(text) as Body;
    return { body, ms: performance.now() - begun };
  };
}

export type Reader = ReturnType<typeof openReader>;
