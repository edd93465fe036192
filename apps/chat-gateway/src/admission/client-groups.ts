import { toClientSite } from '@relata/http';

export interface ClientGroup {
  name: string;
  /** Limit of the whole group, as a multiple of the limit of one client IP. */
  times: number;
}

/**
 * Limit of an IPv6 site, as a multiple of the limit of one client. A /64 network counts as one client, and a provider's
 * customer often has 256 of them, so without this limit the customer would get 256 times the limit. Four times the
 * limit is enough even for shared sites such as offices, where few people chat at the same time.
 */
export const siteTimes = 4;

/** Returns the client IP, and for IPv6 the site that it belongs to. */
export function clientGroups(ip: string): ClientGroup[] {
  const site = toClientSite(ip);
  return [{ name: ip, times: 1 }, ...(site === undefined ? [] : [{ name: site, times: siteTimes }])];
}
