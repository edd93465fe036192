import {
  changeTrigger,
  listAssignments,
  listTriggers,
  listTriggerSecrets,
  type TriggerSecret,
} from '@relata/workflows';
import { countRefusals, listDeliveries } from '@relata/workflows/deliveries';
import { command, type CommandGroup } from '../../command/command.ts';
import { mappingText } from './input-mapping-option.ts';
import { org } from '../orgs/organization-option.ts';
import { type Column, indented, recordText, tableText } from '../../output/result.format.ts';
import { findBaseUrlOrWarn, triggerArgument, withUrl } from './trigger-reference.ts';
import { assign, unassign } from './assign.ts';
import { create } from './create-trigger.ts';
import { update } from './repeat-key.ts';
import { sample } from './send-sample.ts';
import { reencrypt, rotate, selectKey } from './trigger-secret.ts';

const list = command({
  name: 'list',
  summary: 'List the triggers of an organization',
  options: { org },
  examples: ['triggers list --org ORG_ID'],
  columns: ['id', 'name', 'mode', 'active', 'secret_last_four', 'key_id', 'workflows'],
  run: async ({ database, databaseUrl }, { org }) => {
    const baseUrl = findBaseUrlOrWarn(databaseUrl);
    return (await listTriggers(database, org)).map((trigger) => withUrl(trigger, baseUrl));
  },
});

const show = command({
  name: 'show',
  summary: 'Show a trigger: its last delivery, its secrets and their use, the workflows it starts, and what it refused',
  arguments: { trigger: triggerArgument },
  examples: ['triggers show TRIGGER_ID'],
  run: async ({ database, databaseUrl }, { trigger }) => {
    const { id } = trigger;
    const secrets = (await listTriggerSecrets(database, trigger.org_id, id)).map((secret) => ({
      is_current: secret.expires_at === null,
      ...secret,
    }));
    const [last] = await listDeliveries(database, trigger.org_id, { limit: 1, triggerId: id });
    const success = { last_success_at: last?.received_at ?? null };
    const assignments = (await listAssignments(database, trigger.org_id, id)).map(
      ({ workflow_id, workflow, inputs, filter }) => ({ workflow_id, workflow, inputs, filter }),
    );
    const refused = await countRefusals(database, trigger.org_id, id);
    return { ...withUrl(trigger, findBaseUrlOrWarn(databaseUrl)), ...success, secrets, assignments, refused };
  },
  view: ({ secrets, assignments, refused, workflows: _workflows, ...trigger }) => {
    const started = assignments.map(({ workflow, inputs, filter }) => {
      return indented([workflow, mappingText(inputs), filter && `if ${filter}`].filter(Boolean).join('  '));
    });
    return [
      recordText(trigger),
      `\nSECRETS\n${tableText(secrets, secretColumns)}`,
      `\nSTARTS\n${started.join('\n') || 'No workflow.'}`,
      `\nREFUSED IN 7 DAYS\n${tableText(refused, ['reason', 'refused', 'last_refused_at'])}`,
    ].join('\n');
  },
});

const secretColumns: readonly Column<TriggerSecret & { is_current: boolean }>[] = [
  ['secret', ({ is_current: isCurrent }) => (isCurrent ? 'current' : 'previous')],
  'last_four',
  'last_used_at',
  'created_at',
  'expires_at',
];

const activation = (name: string, summary: string, isActive: boolean) =>
  command({
    name,
    summary,
    arguments: { trigger: triggerArgument },
    examples: [`triggers ${name} TRIGGER_ID`],
    run: (context, { trigger: { id, org_id: orgId } }) =>
      changeTrigger(context, context.actorIn(orgId), { id, isActive }),
  });

const enable = activation('enable', 'Enable a trigger', true);
const disable = activation('disable', 'Disable a trigger: it answers deliveries with 404', false);

export const triggers: CommandGroup = {
  name: 'triggers',
  summary: 'URLs that receive deliveries, and the workflows they start',
  commands: [create, update, assign, unassign, list, show, enable, disable, rotate, reencrypt, selectKey, sample],
};
