import { clientSiteOf } from '@relata/http';

export interface ClientGroup {
  name: string;
  /** How many times the limit of one client IP the whole group may have. */
  times: number;
}

/**
 * Somebody who has one network of 64 bits often has 256 of them, and would have 256 times what is meant for one. Those
 * who do share a site, such as an office, are few at a time.
 */
export const siteTimes = 4;

/** The client IP by itself, and of IPv6 the site that it is in. */
export function clientGroupsOf(ip: string): ClientGroup[] {
  const site = clientSiteOf(ip);
  return [{ name: ip, times: 1 }, ...(site === undefined ? [] : [{ name: site, times: siteTimes }])];
}
