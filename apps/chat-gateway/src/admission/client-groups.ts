import { toClientSite } from '@relata/http';

export interface ClientGroup {
  name: string;
  /** Limit of the whole group, as a multiple of that of one client IP. */
  times: number;
}

/**
 * Limit of an IPv6 site, as a multiple of that of one client. A customer of a provider often has 256 networks of 64
 * bits. Each network counts as one client, so the customer would otherwise get 256 times the limit. In shared sites,
 * such as offices, few people chat at a time.
 */
export const siteTimes = 4;

/** Returns the client IP, and for IPv6 the site that it belongs to. */
export function clientGroups(ip: string): ClientGroup[] {
  const site = toClientSite(ip);
  return [{ name: ip, times: 1 }, ...(site === undefined ? [] : [{ name: site, times: siteTimes }])];
}
