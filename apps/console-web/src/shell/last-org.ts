/** Key in localStorage for the id of the organization opened last. */
export const lastOrgName = 'relata.org';
