import type { Db } from '@relata/db';
import type { ListedTrigger, Sender, Trigger as ShownTrigger } from '@relata/schemas/console';
import {
  carrySecret,
  changeTrigger,
  findTrigger,
  listAssignments,
  listSenderKinds,
  listTriggers,
  listTriggerSecrets,
  nameSender,
  selectTriggerKey,
  type SenderKind,
  setupOfHeader,
  type Trigger,
} from '@relata/workflows';
import { orNotFound } from '@relata/schemas/errors';
import { type ConsoleContext, type ConsoleHandlers, inBodyNames, onBehalf, toFieldName } from './console-context.ts';
import { type MadeSecret, makeTrigger, replaceToken, rotateSecret } from './trigger-secret.ts';
import { listTriggerDetails, type TriggerDetails } from './trigger-details.sql.ts';

export function triggerHandlers(context: ConsoleContext) {
  const shown = (orgId: string, id: string) => showTrigger(context.database.of(orgId), orgId, id);
  const postWith = (
    { secret, trigger: { signature } }: MadeSecret,
    { origin }: { origin: string },
    { url }: ShownTrigger,
  ) =>
    secret === undefined || !signature
      ? null
      : (carrySecret(signature, secret, new URL(url, context.publicUrl ?? origin).href) ?? null);
  return {
    listTriggers: async (_input, { caller: { orgId } }) => {
      const db = context.database.of(orgId);
      const [triggers, details] = await Promise.all([listTriggers(db, orgId), listTriggerDetails(db, orgId)]);
      return { data: triggers.map((trigger) => listed(trigger, details.get(trigger.id))) };
    },
    createTrigger: async ({ body }, { caller, exchange }) => {
      const made = await makeTrigger(context, onBehalf(context, caller, exchange), body);
      const { secret = null, verifyToken = null } = made;
      const trigger = await shown(caller.orgId, made.trigger.id);
      return { data: { trigger, secret, verify_token: verifyToken, post: postWith(made, caller, trigger) } };
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
      const made = await rotateSecret(context, onBehalf(context, caller, exchange), rotation);
      const trigger = await shown(caller.orgId, id);
      return { data: { trigger, secret: made.secret ?? null, post: postWith(made, caller, trigger) } };
    },
    replaceVerifyToken: async ({ params: { id } }, { caller, exchange }) => {
      const token = await replaceToken(onBehalf(context, caller, exchange), id);
      return { data: { trigger: await shown(caller.orgId, id), verify_token: token } };
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
  const options = described.options.map(({ name, label, text, isRequired, choices, default: value }) => ({
    name: toFieldName(name),
    label,
    text,
    is_required: isRequired,
    choices: [...choices],
    default: value,
  }));
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
    options,
    setup: setup.map((step) => (step.option ? { ...step, option: toFieldName(step.option) } : step)),
  };
}

export async function showTrigger(db: Db, orgId: string, id: string): Promise<ShownTrigger> {
  const found = orNotFound(await findTrigger(db, orgId, id));
  const [details, secrets, assignments] = await Promise.all([
    listTriggerDetails(db, orgId, id),
    listTriggerSecrets(db, orgId, id),
    listAssignments(db, orgId, id),
  ]);
  return { ...listed(found, details.get(id)), signature_options: optionsIn(found), secrets, assignments };
}

function listed(
  trigger: Trigger,
  { key = null, last_delivery_at = null }: Partial<TriggerDetails> = {},
): ListedTrigger {
  const { id, signature } = trigger;
  const sender = signature && toSender(nameSender(signature));
  const url = `/webhooks/trigger/${id}`;
  return { ...trigger, signature: signature?.kind ?? null, sender, url, key, last_delivery_at };
}

const toSender = ({ maker, isSigned, makesSecret }: ReturnType<typeof nameSender>) => ({
  maker,
  is_signed: isSigned,
  makes_secret: makesSecret,
});

function optionsIn({ signature }: Trigger): Record<string, string> {
  const options = signature && 'options' in signature ? Object.entries(signature.options) : [];
  return Object.fromEntries(options.map(([name, value]) => [toFieldName(name), String(value)]));
}
