import { instant, nameText, problem, ScopeName, uuid } from '@relata/schemas';
import { z } from 'zod';

const originCharactersMax = 2_048;
const overlapMsMax = 365 * 86_400_000;

/** An origin as browsers send it: only scheme, host and port. */
export const Origin = z.string().check((ctx) => {
  const url = /^https?:\/\//i.test(ctx.value) ? URL.parse(ctx.value) : null;
  // Origins are compared as a whole, since no browser sends a pattern.
  if (url?.origin === ctx.value && ctx.value.length <= originCharactersMax && !ctx.value.includes('*')) return;
  const hint = url ? ` Did you mean ${url.origin}?` : '';
  problem(ctx, 'invalid_format', `Must be a bare origin like https://example.com.${hint}`);
});

export const Expiry = instant().check((ctx) => {
  if (Date.parse(ctx.value) <= Date.now()) problem(ctx, 'out_of_range', 'Must be in the future.');
});

/** Time for which a rotated credential stays valid together with its successor, in milliseconds; at most a year. */
export const OverlapMs = z.int().min(0).max(overlapMsMax);

const Origins = z.array(Origin).max(100).readonly();

/** Returns the problem with a key's origins; undefined if they fit the kind of the key. */
export function originsProblem(
  kind: 'secret' | 'publishable',
  { length }: readonly string[],
): { code: 'unknown_field' | 'required'; message: string } | undefined {
  if (kind === 'secret' && length > 0)
    return { code: 'unknown_field', message: 'Only a publishable key can be limited to origins.' };
  if (kind === 'publishable' && length === 0)
    return { code: 'required', message: 'A publishable key needs at least one origin, like https://example.com.' };
  return undefined;
}

/** Input for a new key. A publishable key is for the chat on web pages, and can only have the scope `chat`. */
export const NewKey = z
  .strictObject({
    kind: z.enum(['secret', 'publishable']),
    /** Defaults to the list of scopes. */
    name: nameText().optional(),
    scopes: z.array(ScopeName).min(1).max(20).readonly(),
    origins: Origins.default([]),
    expires_at: Expiry.optional(),
  })
  .check((ctx) => {
    const { kind, scopes, origins } = ctx.value;
    const found = originsProblem(kind, origins);
    if (found) problem(ctx, found.code, found.message, ['origins']);
    if (kind === 'publishable' && scopes.some((scope) => scope !== 'chat'))
      problem(ctx, 'invalid_enum', 'A publishable key can only have the scope chat.', ['scopes']);
  });

export const KeyChange = z.strictObject({ id: uuid(), name: nameText().optional(), origins: Origins.optional() });

export const KeyRotation = z.strictObject({
  id: uuid(),
  overlapMs: OverlapMs,
  /** Expiry of the successor. By default, the successor gets the lifetime of the old key. */
  expires_at: Expiry.optional(),
});
