import type { Db } from '@relata/db';
import type { ListedTrigger, Sender, Trigger as ShownTrigger } from '@relata/schemas/console';
import {
  changeTrigger,
  findTrigger,
  listAssignments,
  listSenderKinds,
  listTriggers,
  listTriggerSecrets,
  selectTriggerKey,
  type SenderKind,
  setupOfHeader,
  type Trigger,
} from '@relata/workflows';
import { orNotFound } from '@relata/schemas/errors';
import { type ConsoleContext, type ConsoleHandlers, inBodyNames, onBehalf } from './console-context.ts';
import { makeTrigger, rotateSecret, toFieldName } from './trigger-secret.ts';
import { moreOfTriggers, type TriggerMore } from './trigger-more.sql.ts';

export function triggerHandlers(context: ConsoleContext) {
  const shown = (orgId: string, id: string) => showTrigger(context.database.of(orgId), orgId, id);
  return {
    listTriggers: async (_input, { caller: { orgId } }) => {
      const db = context.database.of(orgId);
      const [triggers, more] = await Promise.all([listTriggers(db, orgId), moreOfTriggers(db, orgId)]);
      return { data: triggers.map((trigger) => listed(trigger, more.get(trigger.id))) };
    },
    createTrigger: async ({ body }, { caller, exchange }) => {
      const made = await makeTrigger(context, onBehalf(context, caller, exchange), body);
      const { secret = null, verifyToken = null } = made;
      return { data: { trigger: await shown(caller.orgId, made.trigger.id), secret, verify_token: verifyToken } };
    },
    getTrigger: async ({ params: { id } }, { caller: { orgId } }) => ({ data: await shown(orgId, id) }),
    updateTrigger: async ({ params: { id }, body }, { caller, exchange }) => {
      const { name, active: isActive, repeat_key: repeatKey } = body;
      const change = { id, name, isActive, ...(repeatKey !== undefined && { repeatKey: repeatKey || null }) };
      await inBodyNames(changeTrigger(...onBehalf(context, caller, exchange), change));
      return { data: await shown(caller.orgId, id) };
    },
    rotateTriggerSecret: async ({ params: { id }, body }, { caller, exchange }) => {
      const rotation = { id, overlapMs: body.overlap_seconds * 1_000, given: body.secret || undefined };
      const { secret = null } = await rotateSecret(context, onBehalf(context, caller, exchange), rotation);
      return { data: { trigger: await shown(caller.orgId, id), secret } };
    },
    selectTriggerKey: async ({ params: { id }, body: { key_id: keyId } }, { caller, exchange }) => {
      await inBodyNames(selectTriggerKey(...onBehalf(context, caller, exchange), { id, keyId }));
      return { data: await shown(caller.orgId, id) };
    },
    listSenders: async () => ({
      data: listSenderKinds().map(sender),
      header_setup: [...setupOfHeader],
      is_ready: context.signingKeys !== undefined,
    }),
  } satisfies Partial<ConsoleHandlers>;
}

function sender(described: SenderKind): Sender {
  const { kind, maker, page, isSigned, warning, makesSecret, secretRule, hasVerifyToken, repeatKey, setup } = described;
  const options = Object.entries(described.options).map(([name, option]) => ({ name: toFieldName(name), ...option }));
  return {
    kind,
    maker,
    page,
    is_signed: isSigned,
    warning,
    has_verify_token: hasVerifyToken,
    makes_secret: makesSecret,
    secret_rule: secretRule,
    repeat_key: repeatKey,
    has_options: options.length > 0,
    options,
    setup: [...setup],
  };
}

export async function showTrigger(db: Db, orgId: string, id: string): Promise<ShownTrigger> {
  const found = orNotFound(await findTrigger(db, orgId, id));
  const [more, secrets, assignments] = await Promise.all([
    moreOfTriggers(db, orgId, id),
    listTriggerSecrets(db, orgId, id),
    listAssignments(db, orgId, id),
  ]);
  return { ...listed(found, more.get(id)), secrets, assignments };
}

function listed(trigger: Trigger, { key = null, last_delivery_at = null }: Partial<TriggerMore> = {}): ListedTrigger {
  const { id, signature } = trigger;
  return { ...trigger, signature: signature?.kind ?? null, url: `/webhooks/trigger/${id}`, key, last_delivery_at };
}
