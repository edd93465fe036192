export type SecretErrorCode = 'missing_secret' | 'unreadable_secret' | 'secrets_key_missing';

/** Why a secret could not be used; nothing but an operator changes that. The message names it and never its value. */
export class SecretError extends Error {
  override name = 'SecretError';
  readonly code: SecretErrorCode;

  constructor(code: SecretErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
