import type { KeyObject } from 'node:crypto';
import type { z } from 'zod';
import type { SecretCarrier } from './carrier.ts';
import type { SignatureScheme } from './scheme.ts';

/** A kind of sender, fully described by its file in `kinds/`. */
export type SenderKind = SignedKind | UnsignedKind;

/** A kind whose senders sign. */
export type SignedKind = Described & SignatureScheme;

/** A kind whose senders do not sign, but send the secret itself. */
export type UnsignedKind = Warned & SecretCarrier;

/** A kind whose options define how its senders sign, or where they send the secret. */
export type ConfiguredKind<Options extends object, Proof extends 'signature' | 'secret'> = Configured<Options, Proof> &
  (Proof extends 'signature' ? Described : Warned);

interface Configured<Options, Proof> {
  proof: Proof;
  options: z.ZodType<Options>;
  optionTexts: Record<keyof Options & string, OptionText>;
  configure(options: Options): Proof extends 'signature' ? SignatureScheme : SecretCarrier;
}

interface Warned extends Described {
  /** Risk that the operator takes, in whole sentences. */
  warning: string;
}

/** The parts of a kind that do not depend on its options. */
export interface Described {
  /** Name of the sender as people write it. */
  maker: string;
  /** URL of the maker's documentation, which this kind implements. */
  page: string;
  secret: SecretRule;
  /**
   * Default expression that has the same value for every repeat of an event; an operator may set a different one. Null
   * if no expression fits all senders of the kind.
   */
  repeatKey: string | null;
  /**
   * How the maker checks the URL, if it does. `get`: by a GET with a verify token that the operator has entered at the
   * maker; `head`: by a HEAD without a credential.
   */
  challenge?: PostChallenge | { by: 'get' | 'head' };
  /** Steps to set up the sender, in the words of its own settings page. */
  setup: readonly SetupStep[];
  /** Returns a typical post, for `relata triggers test`; `id` is new for each. */
  sample(id: string): Sample;
}

export interface SecretRule {
  /** True if the sender accepts a secret that Relata generates; false if the sender generates the secret. */
  isOurs: boolean;
  /**
   * Returns the HMAC key; undefined if the string is not a secret of this kind. If senders send the secret itself, this
   * only checks its format.
   */
  keyOf(secret: string): KeyObject | undefined;
  /** Other credentials of the maker that people mistake for the secret, each with its name. */
  mistakes: readonly (readonly [RegExp, name: string])[];
  /** Rule for the format of a secret, as a sentence. */
  rule: string;
  /** Generates a secret in the kind's own format; undefined if the kind uses our format (`relata_whs_…`). */
  make?: () => string;
}

/** A post by which the maker checks the URL. It is answered, and does not become a delivery. */
interface PostChallenge {
  by: 'post';
  /** Returns the response to an authentic post; undefined for an event. */
  answer(payload: object, key: KeyObject): object | undefined;
}

export interface SetupStep {
  text: string;
  /**
   * Value to copy into the sender: the URL of the trigger, its secret, its verify token or an option; or
   * `sender_secret`, to copy from the sender into the trigger.
   */
  shows?: 'url' | 'secret' | 'sender_secret' | 'verify_token' | 'option';
  /** The option of the kind to copy into the sender. */
  option?: string;
  /** A fixed value to enter in the sender. */
  value?: string;
}

export interface Sample {
  body: object;
  headers?: Record<string, string> | undefined;
}

/** An option as the CLI and the console describe it. */
export interface OptionText {
  /** Label of its field in a form, such as `User name`. */
  label: string;
  /** Placeholder of the value, such as `NAME`. */
  value: string;
  text: string;
}
