import { longText } from '@relata/schemas';
import {
  findDelivery,
  findDeliveryOrganization,
  findRefusedPost,
  findRefusedPostOrganization,
  listAllDeliveries,
  listDeliveries,
  type RepeatedSteps,
  replayDelivery,
} from '@relata/workflows/deliveries';
import { command, type CommandContext, type CommandGroup } from '../../command/command.ts';
import { deliveriesText, deliveryText, describeDelivery, describeRefused, refusedPostText } from './deliveries.view.ts';
import { onlyOrganization } from '../orgs/organization-option.ts';
import { page, shownPage } from '../../command/page-options.ts';
import { flag, optionalReference, reference, value } from '../../command/parameter.ts';
import { hinted } from '../../output/operation.error.ts';
import { listSearched } from './searched.ts';
import { type DeliveryPage, listRefused, type Refused, refusedText } from './refused.ts';
import { recordText } from '../../output/result.format.ts';
import { triggerReference } from '../triggers/trigger-reference.ts';

const list = command({
  name: 'list',
  summary: 'List deliveries, the newest first',
  options: {
    trigger: optionalReference('ID', 'Only deliveries of this trigger', triggerReference),
    org: onlyOrganization,
    text: value(
      'TEXT',
      longText(1).optional(),
      'Only deliveries with this text in the body or a header, or whose id begins with it; needs --org or --trigger',
    ),
    where: value(
      'EXPRESSION',
      longText(1).optional(),
      'CEL expression, as in a filter: only deliveries for which it is true; needs --org or --trigger',
    ),
    refused: flag('List refused requests instead: the last 100 of each trigger, for 7 days'),
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
    if (refused) return `${search}: Cannot be combined with --refused: only stored deliveries can be searched.`;
    return trigger === undefined && org === undefined ? `${search}: Needs --org or --trigger.` : undefined;
  },
  run: async (context, { trigger, org, text, where, refused, ...page }): Promise<Shown> => {
    const triggerId = trigger?.id;
    const orgId = trigger?.org_id ?? org;
    if ((text ?? where) !== undefined) return listSearched(context, orgId!, { ...page, text, where, triggerId });
    return refused
      ? listRefused(context, orgId, { ...page, triggerId })
      : listStored(context, orgId, { ...page, triggerId });
  },
  view: (found) => (isRefused(found) ? refusedText(found) : deliveriesText(found)),
});

const isRefused = (found: Shown): found is Refused[] => found.some((row) => 'refused_at' in row);

type Shown = Awaited<ReturnType<typeof listStored>> | Refused[];

function listStored(context: CommandContext, orgId: string | undefined, { limit, ...page }: DeliveryPage) {
  const { database } = context;
  return shownPage(context, limit, (rows) =>
    orgId === undefined
      ? listAllDeliveries(database, { ...page, limit: rows })
      : listDeliveries(database, orgId, { ...page, limit: rows }),
  );
}

const delivery = reference('DELIVERY', 'Id of the delivery, or of a refused request that was kept whole', {
  noun: 'delivery',
  list: 'deliveries list',
  findOrganization: async (db, id) =>
    (await findDeliveryOrganization(db, id)) ?? (await findRefusedPostOrganization(db, id)),
  find: async (db, orgId, id) => (await findDelivery(db, orgId, id)) ?? (await findRefusedPost(db, orgId, id)),
});

const show = command({
  name: 'show',
  summary: 'Show a delivery or refused request: its headers, its body, its fields and the runs it started',
  arguments: { delivery },
  examples: ['deliveries show DELIVERY_ID'],
  run: async (_context, { delivery }) =>
    'refused_at' in delivery ? describeRefused(delivery) : describeDelivery(delivery),
  view: (found) => ('refused_at' in found ? refusedPostText(found) : deliveryText(found)),
});

const replay = command({
  name: 'replay',
  summary:
    'Start new runs for a delivery: of the workflows whose start was refused, or if there are none, of all workflows that its trigger starts now',
  arguments: { delivery },
  options: { all: flag('Start all workflows of the trigger, even if only some starts were refused') },
  examples: ['deliveries replay DELIVERY_ID'],
  run: (context, { delivery, all: isWhole }) => {
    const isReplayed = 'skipped' in delivery && delivery.skipped?.some(({ reason }) => reason === 'replayed');
    const hints = isReplayed && !isWhole ? { conflict: 'To start all workflows of its trigger, add --all.' } : {};
    return hinted(replayDelivery(context, context.actorIn(delivery.org_id), delivery.id, { isWhole }), hints);
  },
  view: ({ repeated: _repeated, skipped, ...replayed }) =>
    recordText({ ...replayed, skipped: skipped.map(skippedText) }),
  note: ({ runs, repeated }) => {
    if (runs.length === 0) return 'No run was started: no workflow is assigned, or every filter rejected the delivery.';
    return repeated.map(repeatedText).join('\n') || undefined;
  },
});

function skippedText(skipped: Awaited<ReturnType<typeof replayDelivery>>['skipped'][number]): string {
  const problems = 'problems' in skipped ? skipped.problems.map(({ message }) => message) : [];
  return [`${skipped.workflow_id} (${skipped.reason})`, ...problems].join(': ');
}

function repeatedText({ workflow, steps }: RepeatedSteps): string {
  return `${workflow}: these steps were finished by earlier runs and will be repeated: ${steps.join(', ')}.`;
}

export const deliveries: CommandGroup = {
  name: 'deliveries',
  summary: 'Payloads that triggers received, stored unchanged',
  commands: [list, show, replay],
};
