import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

/** Host name against which Node checks a certificate by default. The client passes no name for an IP address. */
const unnamed = 'localhost';

/**
 * Returns client options that require TLS. The certificate of a server addressed by IP must be valid for one of the
 * given addresses; host names are checked as Node does.
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
