/** Number of characters that are read at the beginning and at the end of a long question. */
const endLength = 1_000;

const sentencesMax = 5;

/**
 * Returns the texts to search for, one after another, until something is found. The whole question comes first, then
 * its sentences, the last one first, since many visitors introduce themselves before they ask. HTML tags are left out.
 */
export function splitSentences(question: string): string[] {
  const ends =
    question.length <= 2 * endLength ? question : `${question.slice(0, endLength)}\n${question.slice(-endLength)}`;
  const whole = ends.replace(/<\/?[a-z][^<>]{0,200}>/gi, ' ');
  const sentences = whole.split(/[.?!]+(?:\s|$)|[\n\r]+|, /).filter((sentence) => /\S\s+\S/.test(sentence));
  return sentences.length < 2 ? [whole] : [whole, ...sentences.toReversed().slice(0, sentencesMax)];
}
