import { isUtf8 } from 'node:buffer';
import { flatten } from '@relata/workflows';
import { type Delivery, type DeliveryDetail, readPayload } from '@relata/workflows/deliveries';
import { indented, recordText, tableText } from '../../output/result.format.ts';

/**
 * Returns a delivery for `--json`: the body as received, its parsed value, and the fields that inputs can be mapped to.
 */
export function describeDelivery({ body, ...delivery }: DeliveryDetail) {
  const payload = readPayload({ body, headers: delivery.headers });
  return {
    ...delivery,
    ...bodyOf(body),
    payload,
    fields: payload === undefined ? {} : Object.fromEntries(flatten(payload)),
    skipped: delivery.skipped ?? [],
  };
}

function bodyOf(body: Buffer): { body?: string; body_base64?: string } {
  return isUtf8(body) ? { body: body.toString('utf8') } : { body_base64: body.toString('base64') };
}

export function deliveryText(delivery: ReturnType<typeof describeDelivery>): string {
  const { headers, payload: _payload, fields, skipped, runs, body, body_base64 = '', ...record } = delivery;
  const parts = {
    HEADERS: recordText(headers),
    BODY: indented(body ?? body_base64),
    FIELDS: recordText(Object.fromEntries(Object.entries(fields).map(([path, leaf]) => [path, JSON.stringify(leaf)]))),
    RUNS: tableText(runs, ['id', 'workflow', 'status', 'replay']),
    ...(skipped.length > 0 && {
      'NOT STARTED': tableText(skipped.map(explained), ['workflow_id', 'reason', 'message']),
    }),
  };
  return [recordText(record), ...Object.entries(parts).map(([title, text]) => `\n${title}\n${text}`)].join('\n');
}

type Skipped = NonNullable<DeliveryDetail['skipped']>[number];

function explained({ workflow_id, reason, ...why }: Skipped) {
  const message = 'problems' in why ? why.problems.map((each) => each.message).join('; ') : why.message;
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
