import { listAllRefusals, listRefusals, type RefusedPost } from '@relata/workflows/deliveries';
import type { CommandContext } from '../../command/command.ts';
import { shownPage } from '../../command/page-options.ts';
import { tableText } from '../../output/result.format.ts';

export interface DeliveryPage {
  limit: number;
  before: string | undefined;
  triggerId: string | undefined;
}

/** Returns refused posts of one organization or of all, for `--json`. */
export async function listRefused(
  context: CommandContext,
  orgId: string | undefined,
  { limit, before, triggerId }: DeliveryPage,
) {
  const { database } = context;
  const found = await shownPage(context, limit, (rows) =>
    orgId === undefined
      ? listAllRefusals(database, { before, limit: rows })
      : listRefusals(database, orgId, { before, triggerId, limit: rows }),
  );
  return found.map(described);
}

function described({ body, ...post }: RefusedPost) {
  return { ...post, ...(body ? bodyOf(body, post.bytes ?? body.length) : { body }) };
}

/** Returns the stored beginning of a body, as Base64 if it is not UTF-8. The beginning may end within a character. */
function bodyOf(body: Buffer, bytes: number): { body: string } | { body_base64: string } {
  try {
    return { body: new TextDecoder('utf-8', { fatal: true }).decode(body, { stream: body.length < bytes }) };
  } catch {
    return { body_base64: body.toString('base64') };
  }
}

export type Refused = Awaited<ReturnType<typeof listRefused>>[number];

export const refusedText = (posts: readonly Refused[]) =>
  tableText(posts, ['id', 'trigger', 'refused_at', 'status', 'reason', 'field', 'bytes', 'address', 'message']);
