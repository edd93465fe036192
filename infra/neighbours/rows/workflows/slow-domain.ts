/** The name server of this domain does not answer. */
export const slowDomain = 'slow-names.example';
