import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

/** For which name Node checks a certificate where it is given none: the client gives it none of a server by number. */
const unnamed = 'localhost';

/**
 * Options of the client with which it insists on TLS. The certificate of a server that is given by number has to be for one of
 * the numbers that are given; the name of any other is checked as Node does.
 */
export function insistingOnTls(hosts: readonly string[]) {
  const numbers = hosts.filter((host) => isIP(host) !== 0);
  const check = (name: string, certificate: PeerCertificate): Error | undefined => {
    if (name !== unnamed || hosts.includes(unnamed)) return checkServerIdentity(name, certificate);
    const faults = numbers.map((number) => checkServerIdentity(number, certificate));
    return faults.includes(undefined) ? undefined : faults[0];
  };
  return { rejectUnauthorized: true, checkServerIdentity: check };
}
