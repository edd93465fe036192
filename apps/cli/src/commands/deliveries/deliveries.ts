import { freeText, uuid } from '@relata/schemas';
import { listAllDeliveries, listDeliveries, type RepeatedSteps, replayDelivery } from '@relata/workflows/deliveries';
import { command, type CommandContext, type Noun } from '../../command/command.ts';
import { deliveriesText, deliveryText, describeDelivery } from './deliveries.view.ts';
import { deliveryArgument, requireDelivery } from './delivery-reference.ts';
import { onlyOrganization } from '../orgs/organization-option.ts';
import { page, shownPage } from '../../command/page-options.ts';
import { flag, value } from '../../command/parameter.ts';
import { listSearched } from './searched.ts';
import { listRefused, type Refused, refusedText } from './refused.ts';
import { recordText } from '../../output/result.format.ts';
import { requireTrigger } from '../triggers/trigger-reference.ts';

const list = command({
  name: 'list',
  summary: 'List deliveries, the newest first',
  options: {
    trigger: value('ID', uuid().optional(), 'Only those of this trigger'),
    org: onlyOrganization,
    text: value(
      'TEXT',
      freeText(1).optional(),
      'Only deliveries with this text in the body or a header, or whose id begins with it; needs --org or --trigger',
    ),
    where: value(
      'EXPRESSION',
      freeText(1).optional(),
      'CEL expression, as in a filter: only deliveries for which it is true; needs --org or --trigger',
    ),
    refused: flag('Posts that were refused instead: of each trigger the last 100, for 7 days'),
    ...page,
  },
  examples: [
    'deliveries list --trigger TRIGGER_ID',
    'deliveries list --org ORG_ID --limit 100',
    'deliveries list --refused --trigger TRIGGER_ID',
    'deliveries list --org ORG_ID --text ada@acme.example',
    `deliveries list --org ORG_ID --where 'payload.email == "ada@acme.example"'`,
  ],
  check: ({ text, where, refused, trigger, org }) => {
    const search = text === undefined ? where && '--where' : '--text';
    if (search === undefined) return undefined;
    if (text !== undefined && where !== undefined) return '--text: Cannot be combined with --where.';
    if (refused) return `${search}: Searches what was stored, not what was --refused.`;
    return trigger === undefined && org === undefined ? `${search}: Needs --org or --trigger.` : undefined;
  },
  run: async (context, { trigger: triggerId, org, text, where, refused, ...page }): Promise<Shown> => {
    const { database } = context;
    const orgId = triggerId === undefined ? org : (await requireTrigger(database, triggerId, org)).org_id;
    if ((text ?? where) !== undefined) return listSearched(context, orgId!, { ...page, text, where, triggerId });
    return refused
      ? listRefused(context, orgId, { ...page, triggerId })
      : listStored(context, orgId, { ...page, triggerId });
  },
  view: (found) => (isRefused(found) ? refusedText(found) : deliveriesText(found)),
});

const isRefused = (found: Shown): found is Refused[] => found.some((row) => 'refused_at' in row);

type Shown = Awaited<ReturnType<typeof listStored>> | Refused[];

async function listStored(context: CommandContext, orgId: string | undefined, { limit, ...page }: StoredPage) {
  const { database } = context;
  const found = await shownPage(context, limit, (rows) =>
    orgId === undefined
      ? listAllDeliveries(database, { ...page, limit: rows })
      : listDeliveries(database, orgId, { ...page, limit: rows }),
  );
  return found.map((delivery) => ({ ...delivery }));
}

interface StoredPage {
  limit: number;
  before: string | undefined;
  triggerId: string | undefined;
}

const show = command({
  name: 'show',
  summary: 'Show a delivery: its headers, its body, its fields and the runs it started',
  arguments: { delivery: deliveryArgument },
  examples: ['deliveries show DELIVERY_ID'],
  run: async ({ database }, { delivery }) => describeDelivery(await requireDelivery(database, delivery)),
  view: (found) => deliveryText(found),
});

const replay = command({
  name: 'replay',
  summary: 'Start new runs for a delivery, with the workflows that its trigger starts now',
  arguments: { delivery: deliveryArgument },
  examples: ['deliveries replay DELIVERY_ID'],
  run: async (context, { delivery: id }) => {
    const { org_id: orgId } = await requireDelivery(context.database, id);
    return { ...(await replayDelivery(context, context.actorIn(orgId), id)) };
  },
  view: ({ repeated: _repeated, ...replayed }) => recordText(replayed),
  note: ({ runs, repeated }) => {
    if (runs.length === 0) return 'No run was started: no workflow is assigned, or every filter rejected the delivery.';
    return repeated.map(repeatedText).join('\n') || undefined;
  },
});

function repeatedText({ workflow, steps }: RepeatedSteps): string {
  return `${workflow}: earlier runs have done these steps, which are done again: ${steps.join(', ')}.`;
}

export const deliveries: Noun = {
  name: 'deliveries',
  summary: 'Payloads that triggers received, stored unchanged',
  commands: [list, show, replay],
};
