import { randomBytes, randomUUID } from 'node:crypto';
import { hashCredential } from '@relata/auth';
import type { Db } from '@relata/db';
import { parseDurationMs } from '@relata/runtime';
import { findSignatureKind, type SenderKind } from '@relata/signatures';
import type { Trigger } from '@relata/workflows';
import {
  type DeliveryDetail,
  findDelivery,
  findDeliveryOfHeader,
  findDeliveryOfKey,
} from '@relata/workflows/deliveries';
import type { Run } from '@relata/workflows/runs';
import { z } from 'zod';
import { CliError } from '../../output/cli.error.ts';
import { command, type CommandContext } from '../../command/command.ts';
import { value } from '../../command/parameter.ts';
import { postDelivery, type ReceiverResponse } from './receiver.ts';
import { recordText, tableText } from '../../output/result.format.ts';
import { followRuns, hasEnded } from '../runs/follow-runs.ts';
import { readRun } from '../runs/read-run.ts';
import { runColumns } from '../runs/runs.view.ts';
import { sampleDelivery } from './sample-delivery.ts';
import { sentHeaders } from './header-option.ts';
import { readText } from '../../command/text-source.ts';
import { triggerArgument } from './trigger-reference.ts';
import { baseUrl, type GivenTarget, secretText, findTarget } from './trigger-target.ts';

/**
 * Maximum size of a sample, in bytes. Most triggers accept only 512 KB, so a user can see how a larger body is refused.
 */
const sampleBytesMax = 1_048_576;
const timeoutMsMax = 3_600_000;

const timeout = z
  .string()
  .transform((text) => parseDurationMs(text) ?? Number.NaN)
  .refine((ms) => ms > 0 && ms <= timeoutMsMax, 'Must be a duration like 10s or 5m, of at most 1h.');

/** Fields of the response that this command reads. Any server may have sent the response, so they may be missing. */
const ResponseBody = z.object({ received: z.boolean().optional(), error: z.string().optional() }).catch({});

interface Sample extends GivenTarget {
  data: string | undefined;
  file: string | undefined;
  header: Record<string, string>;
}

export const sample = command({
  name: 'test',
  summary: 'Send a sample delivery to the receiver, and follow its runs to their end',
  arguments: { trigger: triggerArgument },
  options: {
    data: value('JSON', z.string().optional(), 'Payload (default: one that fits the assigned workflows)'),
    file: value('FILE', z.string().min(1).optional(), 'File with the payload; - for standard input'),
    header: sentHeaders,
    secret: value(
      'SECRET',
      secretText.optional(),
      'Secret of the trigger (default: RELATA_TRIGGER_SECRET, else that of the local stack)',
    ),
    url: value('BASE_URL', baseUrl.optional(), 'Address of the service (default: that of the local stack)'),
    timeout: value('DURATION', timeout.default(60_000), 'How long to follow the runs (default: 60s)'),
  },
  examples: [
    'triggers test TRIGGER_ID',
    `triggers test TRIGGER_ID --data '{"email":"ada@example.com"}' --secret SECRET`,
    `triggers test TRIGGER_ID --file issue.json --header 'X-GitHub-Event: issues'`,
  ],
  check: ({ data, file }) =>
    data !== undefined && file !== undefined ? 'Give --data or --file, not both.' : undefined,
  run: async (context, { trigger, ...given }) => {
    const { response, delivery } = await send(context, trigger, given);
    context.say(`The id of the delivery is ${delivery.id}.`);
    const runs = await follow(context, delivery, given.timeout);
    const { received } = ResponseBody.parse(response.body);
    const { org_id, trigger_id, skipped } = delivery;
    return { id: delivery.id, org_id, trigger_id, status: response.status, received, skipped: skipped ?? [], runs };
  },
  fault: ({ runs }) => runFault(runs),
  view: ({ runs, ...delivery }) => `\n${recordText(delivery)}\n\nRUNS\n${tableText(runs, runColumns)}`,
  note: ({ trigger_id: triggerId, runs, skipped }) =>
    runs.length > 0 ? undefined : nothingStarted(triggerId, skipped),
});

/** Returns an error with the numbers of runs that did not succeed; undefined if there are none. */
function runFault(runs: readonly Pick<Run, 'status'>[]): CliError | undefined {
  const count = (isMeant: (run: Pick<Run, 'status'>) => boolean) => runs.filter(isMeant).length;
  const counts = {
    failed: count(({ status }) => status === 'failed'),
    'were cancelled': count(({ status }) => status === 'cancelled'),
    'have not ended within --timeout': count((run) => !hasEnded(run)),
  };
  const problems = Object.entries(counts).filter(([, number]) => number > 0);
  if (problems.length === 0) return undefined;
  const sentences = problems.map(([what, number]) => `${number} of ${runs.length} runs ${what}.`);
  return new CliError('run_failed', sentences.join(' '));
}

function nothingStarted(triggerId: string, skipped: readonly { reason: string }[]): string {
  if (skipped.some(({ reason }) => reason === 'refused'))
    return 'No run was started: the delivery lacks an input of a workflow. See: relata problems list';
  if (skipped.length > 0) return 'No run was started: the filter of every assigned workflow rejected the delivery.';
  return `No run was started: no workflow is assigned to the trigger. See: relata triggers assign ${triggerId} WORKFLOW`;
}

/** Posts the sample and finds its delivery. */
async function send(context: CommandContext, trigger: Trigger, given: Sample) {
  const { database } = context;
  const repeatKey = `relata-test-${randomUUID()}`;
  const { body: text, headers } = await deliveryOf(database, trigger, given);
  const body = isKnownByBytes(trigger) && text !== '' ? `${text}${randomSpace()}` : text;
  const target = await findTarget(context, trigger, given);
  const { url, headers: credentials } = target.proofOf(body);
  const response = await postDelivery({ url, credentials, body, headers, repeatKey });
  if (response.status !== 202) throw refused(trigger, response);
  context.say(`The receiver answered 202 ${JSON.stringify(response.body)}`);
  const id = await findSent(database, trigger, repeatKey);
  const delivery = id === undefined ? undefined : await findDelivery(database, trigger.org_id, id);
  if (delivery) return { response, delivery };
  const message = `${target.url} accepted the delivery, but it is not in this database. Does the receiver use another database?`;
  const orRepeat = ' Or did its repeat key have the value of an earlier delivery?';
  throw new CliError('configuration_error', trigger.repeat_key === null ? message : `${message}${orRepeat}`);
}

/** Returns true if the receiver accepts the same body only once in 7 days, because the signature has no timestamp. */
const isKnownByBytes = ({ signature }: Trigger) => signature !== null && signsNoTime(findSignatureKind(signature));

const signsNoTime = (kind: SenderKind) => kind.proof === 'signature' && kind.writeTime === undefined;

/** Returns random white space to append to JSON, so that no two samples are equal. */
const randomSpace = () =>
  Array.from(randomBytes(8), (byte) => byte.toString(2).padStart(8, '0'))
    .join('')
    .replaceAll('0', ' ')
    .replaceAll('1', '\t');

/**
 * Finds the delivery by its idempotency key. If the trigger has its own repeat key, compares the header Idempotency-Key
 * instead.
 */
function findSent(db: Db, trigger: Trigger, repeatKey: string): Promise<string | undefined> {
  return trigger.repeat_key === null
    ? findDeliveryOfKey(db, trigger.org_id, trigger.id, hashCredential(repeatKey))
    : findDeliveryOfHeader(db, trigger.org_id, trigger.id, 'idempotency-key', repeatKey);
}

/** Returns the given body and headers, completed from the sample delivery for the trigger's workflows. */
async function deliveryOf(db: Db, trigger: Trigger, { data, file, header }: Sample) {
  const { payload, headers } = await sampleDelivery(db, trigger);
  const body = file === undefined ? (data ?? JSON.stringify(payload)) : await readText(file, sampleBytesMax);
  return { body, headers: { ...headers, ...header } };
}

function refused({ id, active }: Trigger, { status, body }: ReceiverResponse): CliError {
  const { error } = ResponseBody.parse(body);
  const said = error === undefined ? '' : `: ${error}`;
  const hint = active ? '' : ` The trigger is not active: relata triggers enable ${id}`;
  return new CliError('delivery_refused', `The receiver answered ${status}${said}.${hint}`, {
    details: { status, answer: body },
  });
}

async function follow(context: CommandContext, { org_id: orgId, runs }: DeliveryDetail, timeoutMs: number) {
  const runIds = runs.map(({ id }) => id);
  const followed = await followRuns(context.database, { orgId, runIds, timeoutMs, say: context.say });
  return Promise.all(followed.map((run) => readRun(context, run)));
}
