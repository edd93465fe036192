import { findTrigger } from '@relata/workflows';
import { countRefusals, listRefusals } from '@relata/workflows/deliveries';
import { orNotFound } from '@relata/schemas/errors';
import { type ConsoleContext, type ConsoleHandlers } from './console-context.ts';
import { toPage } from './page.ts';

export function refusalHandlers(context: ConsoleContext) {
  return {
    listRefusals: async ({ query: { limit, trigger: triggerId, ...window } }, { caller: { orgId } }) => {
      const found = await listRefusals(context.database.of(orgId), orgId, { ...window, triggerId, limit: limit + 1 });
      const posts = found.map((post) => ({ ...post, body: post.body && post.body.toString('utf8') }));
      return toPage(posts, limit);
    },
    countRefusals: async ({ params: { id } }, { caller: { orgId } }) => {
      const db = context.database.of(orgId);
      orNotFound(await findTrigger(db, orgId, id));
      return { data: await countRefusals(db, orgId, id) };
    },
  } satisfies Partial<ConsoleHandlers>;
}
