import { channelKinds, detectChannelKind } from '@relata/channel';
import { shortText, problem } from '@relata/schemas';
import { z } from 'zod';

/** The URL is a secret: no message quotes it. */
export const NewChannel = z
  .strictObject({
    url: shortText(),
    /** Detected from the host if omitted. */
    kind: z.enum(channelKinds).optional(),
  })
  .check((ctx) => {
    const { url: typed, kind } = ctx.value;
    const url = URL.parse(typed);
    const at = (message: string) => problem(ctx, 'invalid_format', message, ['url']);
    if (!url || !/^https?:$/.test(url.protocol)) return at('Must be the URL of an incoming webhook.');
    if (url.username || url.password) return at('Must not contain a user name or a password.');
    if (url.protocol === 'http:' && detectChannelKind(url)) return at('Must begin with https://.');
    if (kind === undefined && !detectChannelKind(url))
      problem(
        ctx,
        'invalid_format',
        `The host does not belong to a known chat service. Give the kind of chat: ${channelKinds.join(', ')}.`,
        ['kind'],
      );
  });

/** Returns the parts of a channel that `NewChannel` has accepted. */
export function readChannel({ url: typed, kind }: z.output<typeof NewChannel>) {
  const url = new URL(typed);
  return { url: url.href, kind: kind ?? detectChannelKind(url)!, host: url.host, lastFour: lastFour(url) };
}

/** Returns the last 4 characters of the URL, or '' if its path and query are too short to show them. */
function lastFour({ pathname, search }: URL): string {
  const secret = pathname + search;
  return secret.length < 20 ? '' : secret.slice(-4);
}
