import { isUtf8 } from 'node:buffer';
import { flatten } from '@relata/workflows';
import { type Delivery, type DeliveryDetail, readPayload, type RefusedPostDetail } from '@relata/workflows/deliveries';
import { indented, recordText, tableText } from '../../output/result.format.ts';

/**
 * Returns a delivery for `--json`: the body as received, its parsed value, and the fields that inputs can be mapped to.
 */
export function describeDelivery({ body, ...delivery }: DeliveryDetail) {
  const { headers } = delivery;
  return { ...delivery, ...bodyOf(body), ...payloadOf({ body, headers }), skipped: delivery.skipped ?? [] };
}

function payloadOf(post: Parameters<typeof readPayload>[0] | undefined) {
  const payload = post && readPayload(post);
  return { payload, fields: payload === undefined ? {} : Object.fromEntries(flatten(payload)) };
}

function bodyOf(body: Buffer): { body?: string; body_base64?: string } {
  return isUtf8(body) ? { body: body.toString('utf8') } : { body_base64: body.toString('base64') };
}

/** Returns a refused post for `--json`, like a delivery. */
export function describeRefused({ body, headers: given, ...post }: RefusedPostDetail) {
  const headers = given ?? {};
  const whole = post.can_replay ? { body: body ?? Buffer.alloc(0), headers } : undefined;
  return { ...post, headers, ...(body && bodyOf(body)), ...payloadOf(whole) };
}

export function refusedPostText(post: ReturnType<typeof describeRefused>): string {
  const { headers, payload: _payload, fields, body, body_base64 = '', ...record } = post;
  return [recordText(record), ...contentTexts({ headers, body: body ?? body_base64, fields })].join('\n');
}

function contentTexts({ headers, body, fields }: { headers: object; body: string; fields: object }): string[] {
  const leaves = Object.entries(fields).map(([path, leaf]) => [path, JSON.stringify(leaf)]);
  return titled({ HEADERS: recordText(headers), BODY: indented(body), FIELDS: recordText(Object.fromEntries(leaves)) });
}

const titled = (parts: Readonly<Record<string, string>>) =>
  Object.entries(parts).map(([title, text]) => `\n${title}\n${text}`);

export function deliveryText(delivery: ReturnType<typeof describeDelivery>): string {
  const { headers, payload: _payload, fields, skipped, runs, body, body_base64 = '', ...record } = delivery;
  const parts = {
    RUNS: tableText(runs, ['id', 'workflow', 'status', 'replay']),
    ...(skipped.length > 0 && {
      'NOT STARTED': tableText(skipped.map(explained), ['workflow_id', 'reason', 'message']),
    }),
  };
  const content = contentTexts({ headers, body: body ?? body_base64, fields });
  return [recordText(record), ...content, ...titled(parts)].join('\n');
}

type Skipped = NonNullable<DeliveryDetail['skipped']>[number];

function explained(skipped: Skipped) {
  const { workflow_id, reason } = skipped;
  const message =
    'problems' in skipped
      ? skipped.problems.map((each) => each.message).join('; ')
      : (skipped.message ?? (reason === 'replayed' ? 'started by a replay' : undefined));
  return { workflow_id, reason, message };
}

export function deliveriesText(deliveries: readonly Delivery[]): string {
  return tableText(deliveries, [
    'id',
    'trigger',
    'received_at',
    'bytes',
    'replays',
    ['runs', ({ runs }) => runs.map(({ workflow, status }) => `${workflow} ${status}`)],
  ]);
}
