import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { der, oid, text, time } from './der.ts';

const validMs = 3_600_000;
const [ecdsaWithSha256, commonName] = [oid('2a8648ce3d040302'), oid('550403')];
const [subjectAltName, basicConstraints] = [oid('551d11'), oid('551d13')];

/** A certificate and its private key, both as PEM. */
interface IssuedCertificate {
  certificate: string;
  key: string;
}

export interface CertificateAuthority {
  /** The authority's own certificate, as PEM. Clients that trust it also trust the issued certificates. */
  certificate: string;
  /** Issues a certificate for a server, by its host name or IPv4 address. */
  issue(host: string): IssuedCertificate;
}

/**
 * Creates a certificate authority that is valid for one hour. Only clients that were given its certificate trust it.
 * Its keys are never written to disk. We encode certificates ourselves: Node cannot create any, and the available
 * libraries have twenty dependencies or change global state.
 */
export function makeAuthority(name: string): CertificateAuthority {
  const own = makeKeys();
  const isAuthority = extension(basicConstraints, der('sequence', der('boolean', [0xff])));
  const by = { issuer: name, signer: own.privateKey };
  return {
    certificate: signed({ ...by, subject: name, publicKey: own.publicKey, extensions: isAuthority }),
    issue: (host) => {
      const { publicKey, privateKey } = makeKeys();
      const extensions = extension(subjectAltName, der('sequence', alternativeName(host)));
      return {
        certificate: signed({ ...by, subject: host, publicKey, extensions }),
        key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
      };
    },
  };
}

const makeKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

interface Claim {
  issuer: string;
  subject: string;
  publicKey: KeyObject;
  extensions: Buffer;
  signer: KeyObject;
}

/** Returns a certificate of version 3, as in RFC 5280. */
function signed({ issuer, subject, publicKey, extensions, signer }: Claim): string {
  const algorithm = der('sequence', ecdsaWithSha256);
  const claimed = der(
    'sequence',
    der('version', der('integer', [2])),
    // Serial number: positive, and without leading zero bytes.
    der('integer', [1], randomBytes(8)),
    algorithm,
    distinguished(issuer),
    // Valid from a minute ago, because times in a certificate are whole seconds.
    der('sequence', time(Date.now() - 60_000), time(Date.now() + validMs)),
    distinguished(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der('extensions', der('sequence', extensions)),
  );
  const signature = sign('sha256', claimed, signer);
  const bytes = der('sequence', claimed, algorithm, der('bits', [0], signature));
  return `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64')}\n-----END CERTIFICATE-----\n`;
}

const distinguished = (name: string) => der('sequence', der('set', der('sequence', commonName, text(name))));

const extension = (kind: Buffer, value: Buffer) => der('sequence', kind, der('octets', value));

const alternativeName = (host: string) =>
  isIPv4(host) ? der('address', host.split('.').map(Number)) : der('dnsName', Buffer.from(host));
