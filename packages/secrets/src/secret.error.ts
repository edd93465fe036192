export type SecretErrorCode = 'missing_secret' | 'unreadable_secret' | 'secrets_key_missing';

/**
 * Reason why a secret could not be used, which only an operator can change. The message contains its name, never its
 * value.
 */
export class SecretError extends Error {
  override name = 'SecretError';
  readonly code: SecretErrorCode;

  constructor(code: SecretErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
