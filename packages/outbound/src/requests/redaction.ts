/** Finds the secrets that a request sends; `Redaction` of `@relata/secrets` implements it. */
export interface Redaction {
  /** Returns true if the text has a secret. */
  holds(text: string): boolean;
  /** The text with its secrets taken out. */
  text(text: string): string;
  /** The same for the beginning of a longer text, which may end in the middle of a secret. */
  beginning(text: string): string;
}

/** Of a request without secrets. */
export const noSecrets: Redaction = { holds: () => false, text: (text) => text, beginning: (text) => text };
