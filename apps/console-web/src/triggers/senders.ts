import type { Sender, Trigger } from '../api/types.ts';

type Named = Pick<Sender, 'maker' | 'is_signed'>;

/** Returns the name of a sender's authentication: `GitHub signature`, `Bearer token`. */
export function proofName({ maker, is_signed: isSigned }: Named): string {
  return isSigned ? `${maker} signature` : maker;
}

/** Returns true if the authentication depends on options rather than on the name. */
const isCustom = ({ options }: Sender) => options.length > 0;

/** Returns the kinds of senders in labelled groups. */
export function groupSenders(senders: readonly Sender[]): readonly (readonly [label: string, Sender[]])[] {
  const signing = senders.filter(({ is_signed: isSigned }) => isSigned);
  const byName = (a: Sender, b: Sender) => a.maker.localeCompare(b.maker);
  return [
    ['Senders that sign', signing.filter((sender) => !isCustom(sender)).toSorted(byName)],
    ['Other senders that sign', signing.filter(isCustom)],
    ['Senders that can only repeat a secret', senders.filter(({ is_signed: isSigned }) => !isSigned)],
  ];
}

/** Returns the sender's name for use in a sentence. */
export function senderText({ sender, signature_options: options }: Trigger): string {
  return sender?.is_signed && Object.keys(options).length === 0 ? sender.maker : 'the sender';
}

/** Returns true if the sender creates the secret of the trigger and it is not stored yet. */
export function lacksSecret({ sender, secrets }: Trigger): boolean {
  return sender?.makes_secret === true && secrets[0]?.is_placeholder === true;
}

export const secretLabel = ({ is_signed: isSigned }: Named) => (isSigned ? 'Signing secret' : 'Secret');

/** Explains the secret of a new trigger. Some senders show their secret only after they have the URL. */
export function newSecretHint(sender: Sender): string {
  if (!sender.makes_secret) return secretHint(sender);
  return `${sender.maker} creates it. If it needs the URL first, leave this empty and enter the secret in the next step.`;
}

export function secretHint({ makes_secret, secret_rule }: Sender): string {
  return makes_secret
    ? `Copy it from the sender. ${secret_rule}`
    : `Leave this empty to generate one, which is shown once. ${secret_rule}`;
}

export const usualRepeatKey = 'Header Idempotency-Key or webhook-id';
