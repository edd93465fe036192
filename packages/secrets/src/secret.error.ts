export type SecretErrorCode = 'missing_secret' | 'unreadable_secret' | 'secrets_key_missing';

/** A secret cannot be used, and only an operator can fix this. The message contains its name, never its value. */
export class SecretError extends Error {
  override name = 'SecretError';
  readonly code: SecretErrorCode;

  constructor(code: SecretErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
