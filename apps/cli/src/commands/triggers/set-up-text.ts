import { describeKind, type SetupStep, type SignatureKindName } from '@relata/signatures';
import type { Trigger } from '@relata/workflows';

export interface SetUp {
  trigger: Pick<Trigger, 'id' | 'signature' | 'secret_last_four'>;
  /** URL for the sender, or only its path if the address of the service is unknown. */
  address: string;
  secret: string | undefined;
  verifyToken: string | undefined;
  /** True until the secret that the sender creates is stored. */
  awaitsSecret: boolean;
}

/** Returns instructions for setting up the sender, with the values of the trigger filled in. */
export function setUpText({ trigger, address, secret, verifyToken, awaitsSecret }: SetUp): string {
  const { kind } = trigger.signature!;
  const { maker, setup, warning, page } = describeKind(kind);
  const shown = {
    url: address,
    secret: secret ?? 'the secret that you gave',
    verify_token: verifyToken ?? 'the verify token that you gave',
  };
  const steps = setup.map(
    (step, at) =>
      `  ${at + 1}. ${stepText(step, { ...shown, sender_secret: storeText(trigger, kind, awaitsSecret) }, trigger)}`,
  );
  return [...(warning ? [`Warning: ${warning}`] : []), `Set up the sender (${maker}, ${page}):`, ...steps].join('\n');
}

type Values = Record<'url' | 'secret' | 'verify_token' | 'sender_secret', string>;

function stepText({ text, shows, value, option }: SetupStep, values: Values, { signature }: SetUp['trigger']): string {
  const options = signature && 'options' in signature ? (signature.options as Record<string, unknown>) : {};
  const shown = shows === 'option' ? String(options[option!]) : shows ? values[shows] : value;
  return shown === undefined ? text : `${text.replace(/[.:]$/, '')}: ${shown}`;
}

/** Returns instructions for storing the secret that the sender creates, or a note that it is stored already. */
function storeText(
  { id, secret_last_four: lastFour }: SetUp['trigger'],
  kind: SignatureKindName,
  awaitsSecret: boolean,
): string {
  const isStored = !awaitsSecret && !describeKind(kind).secret.isOurs;
  return isStored
    ? `stored already${lastFour === null ? '' : ` (…${lastFour})`}`
    : `put it into FILE and run relata triggers rotate ${id} --secret-file FILE`;
}
