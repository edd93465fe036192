import type { OperationSpec } from '@relata/schemas';
import type { ApiClient } from '../api-client.ts';
import { type ExtremeCase, extremeCases, type ExtremeTarget, faultIn } from './extreme-requests.ts';

/** Number of requests in flight at the same time. */
const inFlight = 6;

/** Maximum size of a batch in bytes, below the limit of a body. */
const batchBytes = 900_000;

/** Sends every extreme value of an operation. Returns a description of each wrong answer. */
export async function extremeFaults(spec: OperationSpec, target: ExtremeTarget, client: ApiClient): Promise<string[]> {
  const cases = [...extremeCases(spec, target)];
  const single = cases.filter(({ item }) => item === undefined).map((each) => () => askOne(spec, each, target, client));
  const batches = batchesOf(cases.filter(({ item }) => item !== undefined)).map(
    (batch) => () => askBatch(spec, batch, target, client),
  );
  const waiting = [...single, ...batches];
  const faults: string[] = [];
  const work = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) faults.push(...(await next()));
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  return faults;
}

async function askOne(spec: OperationSpec, each: ExtremeCase, { path }: ExtremeTarget, client: ApiClient) {
  const response = await client(spec.method.toUpperCase(), each.request.path ?? path, each.request);
  const fault = faultIn(each, response);
  return fault === undefined ? [] : [fault];
}

/** Returns groups of items with the same operation that fit into a body. */
function batchesOf(cases: readonly ExtremeCase[]): ExtremeCase[][] {
  const batches: ExtremeCase[][] = [];
  let room = 0;
  for (const each of cases) {
    const bytes = Buffer.byteLength(JSON.stringify(each.item));
    const isSame = batches.at(-1)?.[0] && operationOf(batches.at(-1)![0]!) === operationOf(each);
    if (!isSame || bytes > room || batches.at(-1)!.length === 500) {
      batches.push([]);
      room = batchBytes;
    }
    batches.at(-1)!.push(each);
    room -= bytes;
  }
  return batches;
}

const operationOf = ({ request }: ExtremeCase) => (request.body as { operation: string }).operation;

async function askBatch(
  spec: OperationSpec,
  cases: ExtremeCase[],
  target: ExtremeTarget,
  client: ApiClient,
): Promise<string[]> {
  const body = { operation: operationOf(cases[0]!), items: cases.map(({ item }) => item) };
  const response = await client(spec.method.toUpperCase(), target.path, { body });
  if (response.status !== 200) return [`${cases.length} items: ${response.status} ${response.text.slice(0, 300)}`];
  const results = response.body.data as { status: number; error?: object }[];
  // On a busy machine a batch can run out of time before its last items are started. These items are sent again.
  const isLate = ({ status }: { status: number }) => status === 503;
  const late = results[0] && isLate(results[0]) ? [] : cases.filter((_case, at) => isLate(results[at]!));
  const faults = cases.flatMap((each, at) => {
    const { status, error = {} } = results[at]!;
    return late.includes(each) ? [] : (faultIn(each, { status, error, text: JSON.stringify(error) }) ?? []);
  });
  return late.length === 0 ? faults : [...faults, ...(await askBatch(spec, late, target, client))];
}
