const turning = /[\u202A-\u202E\u2066-\u2069]/;

/**
 * A name for the middle of a sentence: where it turns the direction of text, it turns none of the sentence. The isolate
 * (UAX #9) ends where the name ends, and not before.
 */
export const isolated = (name: string) => (turning.test(name) ? `\u2068${name.replaceAll('\u2069', '')}\u2069` : name);
