/** Finds the secrets that a request sends; `Redaction` of `@relata/secrets` implements it. */
export interface Redaction {
  holds(text: string): boolean;
  text(text: string): string;
  /** Like `text`, for the beginning of a longer text, which may end in the middle of a secret. */
  beginning(text: string): string;
}
