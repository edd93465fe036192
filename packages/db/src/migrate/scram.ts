import { createHash, createHmac, pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

const iterations = 4_096;
const saltBytes = 16;

/**
 * Returns the verifier that PostgreSQL stores for a password (RFC 5803). The verifier is sent instead of the password,
 * so that logs and errors of the statement cannot reveal the password.
 */
export async function scramVerifier(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const salted = await promisify(pbkdf2)(password.normalize('NFKC'), salt, iterations, 32, 'sha256');
  const keyed = (name: string) => createHmac('sha256', salted).update(name).digest();
  const storedKey = createHash('sha256').update(keyed('Client Key')).digest('base64');
  const serverKey = keyed('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
