/** Words that say nothing about the subject of a text, including question words. */
export const stopWords: ReadonlySet<string> = new Set(
  `a about above actually after again aint all also am an and any anybody anyone anything anyway are arent around as
  ask asking at back basically be because been before being between bit both but by can cannot cant certain come
  could couldnt detail details did didnt do does doesnt doing don done dont down each either else even ever every
  everything exactly few find for from further get gets getting give given go goes going gonna good got gotta had
  hadnt happen happens has hasnt have havent having he hello help her here heres hers hey hi him his hm hmm how
  however hows i id if ill im in info information instead into is isn isnt it its itself ive just kind kinda know
  let lets like likely look looking lot lots make makes many may maybe me might mine more most much must my myself
  need needs no nor not nothing now of off ok okay on once one only or other our ours out over own particular
  please pls plz policies policy possible question questions quite r rather really s said same say says see seem
  shall she should shouldnt since so some somebody someone something sorta still stuff such sure t take tell than
  thank thanks that thats the their them then there theres these they theyre theyve thing things this those though
  through to too u um under until up ur us use used uses using very via wanna want wants was wasnt way we well were
  werent weve what whatever whats when wheres whether which while who whom whos whose why will wish with within
  without won wont would wouldnt yes yet you youll your youre yours yourself youve`.split(/\s+/),
);

const misspelt = new Set([...stopWords].flatMap((word) => (word.length < 4 ? [] : slipsIn(word))));

/**
 * Returns true if a word is a misspelt stop word: two neighbouring letters after the first are swapped (4 letters or
 * more), or the last one is missing (5 letters or more).
 */
export function isMisspeltStopWord(word: string): boolean {
  return misspelt.has(word);
}

function slipsIn(word: string): string[] {
  const swaps = Array.from(word)
    .slice(2)
    .map((letter, i) => word.slice(0, i + 1) + letter + word[i + 1]! + word.slice(i + 3));
  return [...swaps, ...(word.length > 4 ? [word.slice(0, -1)] : [])].filter((swap) => !stopWords.has(swap));
}
