import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { listen } from './listen.ts';

/** A status, or a function that responds to the post. */
export type ChannelResponse = number | ((response: ServerResponse) => void);

export interface TeamChannel extends AsyncDisposable {
  /** URL that ends in `/s3cret`. No output may contain this secret. */
  url: string;
  /** Bodies and paths of the posts. */
  bodies: string[];
  paths: string[];
  /** Responses to the posts, in order. The last one is repeated for all further posts. */
  responses: ChannelResponse[];
}

/** Starts a team channel's webhook on this machine; it responds with `responses`, or with 200. */
export async function startTeamChannel(...responses: ChannelResponse[]): Promise<TeamChannel> {
  const channel = { bodies: [] as string[], paths: [] as string[], responses };
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    channel.bodies.push(await text(request));
    channel.paths.push(request.url!);
    const next = channel.responses[Math.min(channel.bodies.length, channel.responses.length) - 1] ?? 200;
    if (typeof next === 'number') response.writeHead(next).end('said');
    else next(response);
  };
  const { url, close } = await listen(createServer((request, response) => void take(request, response)));
  return Object.assign(channel, { url: `${url}/s3cret`, [Symbol.asyncDispose]: close });
}

/** Starts a team channel for the duration of a test. */
export async function teamChannel(...responses: ChannelResponse[]): Promise<TeamChannel> {
  const channel = await startTeamChannel(...responses);
  onTestFinished(() => channel[Symbol.asyncDispose]());
  return channel;
}
