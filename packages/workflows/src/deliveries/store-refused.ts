import { type Db, newId } from '@relata/db';
import { AppError, orNotFound, validationError } from '@relata/schemas/errors';
import { compileRepeatKey } from '../triggers/repeat-key.ts';
import { listAssignedWorkflows } from '../triggers/trigger-snapshot.sql.ts';
import { findTrigger } from '../triggers/trigger.sql.ts';
import { isWithinLimits, signedLimits } from './body-limits.ts';
import { type DeliveryDetail, findDeliveryOfKey } from './delivery.sql.ts';
import { storeDeliveries } from './delivery-store.sql.ts';
import { readPayloadInSlices } from './parse-body.ts';
import { findRefusedPost, lockRefusedPost, markRefusedReplayed, type RefusedPostDetail } from './refused-post.sql.ts';
import { detailsOf, prepareStored } from './replay-one.ts';
import type { NamedReplay } from './replay-result.ts';

/**
 * Stores a refused post as a delivery, under the limits of signed posts, and starts the workflows whose inputs it
 * satisfies. Call it in a transaction. Throws `not_found`; `conflict` if the body was not kept whole, is nested too
 * deeply, or is neither JSON nor a form, or if the post or the same event was stored meanwhile; `validation_error` if
 * workflows refuse it and none starts.
 */
export async function storeRefused(db: Db, orgId: string, id: string): Promise<NamedReplay> {
  const post = await toDelivery(orNotFound(await lockRefusedPost(db, orgId, id), noDelivery(id)));
  const { trigger_id: triggerId, trigger, body, headers } = post;
  const payload = await readPayloadInSlices(post);
  const assigned = await listAssignedWorkflows(db, orgId, triggerId);
  const { runs, skipped, refused } = await prepareStored(post, payload, assigned);
  if (refused.length > 0 && runs.length === 0) throw validationError(refused.flatMap(detailsOf));
  const { repeat_key: repeatKey, signature } = orNotFound(await findTrigger(db, orgId, triggerId));
  const { keyHash, problem: repeatProblem } = compileRepeatKey(repeatKey, signature?.kind)(headers, payload);
  const delivery = { orgId, id: newId(), triggerId, keyHash, repeatProblem, body, headers };
  const stored = await storeDeliveries(db, [{ ...delivery, runs, skipped: [...skipped, ...refused] }]);
  if (stored.size === 0) throw repeated(await findDeliveryOfKey(db, orgId, triggerId, keyHash!));
  await markRefusedReplayed(db, orgId, id, delivery.id);
  const replay = { id: delivery.id, org_id: orgId, trigger_id: triggerId, trigger, repeated: [] };
  return { ...replay, runs: runs.map((run) => run.id), skipped: [...skipped, ...refused] };
}

/** Reads a refused post as the delivery that a replay would store. Throws the errors of `storeRefused`. */
export async function readRefused(db: Db, orgId: string, id: string): Promise<DeliveryDetail> {
  return toDelivery(orNotFound(await findRefusedPost(db, orgId, id), noDelivery(id)));
}

async function toDelivery(post: RefusedPostDetail): Promise<DeliveryDetail> {
  const { id, org_id, trigger_id, trigger, refused_at: received_at, bytes, body, headers } = post;
  if (post.delivery_id !== null)
    throw new AppError('conflict', `The refused post ${id} was stored as the delivery ${post.delivery_id}.`);
  if (!post.can_replay || !body)
    throw new AppError('conflict', `The refused post ${id} cannot be replayed: its body was not kept whole.`);
  if (!isWithinLimits(body, signedLimits))
    throw new AppError('conflict', `The refused post ${id} has more than ${signedLimits.levelsMax} levels.`);
  const content = { body, headers: headers ?? {} };
  if ((await readPayloadInSlices(content)) === undefined)
    throw new AppError('conflict', `The body of the refused post ${id} is neither JSON nor a form.`);
  const nothingYet = { replays: 0, runs: [], skipped: null, repeat_problem: null };
  return { id, org_id, trigger_id, trigger, received_at, bytes: bytes ?? body.length, ...content, ...nothingYet };
}

const repeated = (id: string | undefined) =>
  new AppError(
    'conflict',
    `The same event has since been received as ${id === undefined ? 'a delivery that no longer exists' : `the delivery ${id}`}.`,
  );

export const noDelivery = (id: string) => `There is no delivery or refused post ${id}.`;
