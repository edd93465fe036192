/** What is said where the visitor's language is not English, and words that only that language has. */
const languages: readonly (readonly [sentence: string, words: string])[] = [
  [
    'Ich kann auf Englisch antworten; bitte fragen Sie auf Englisch.',
    'ich ist das und wie was wo wer kann können gibt es sie ihr wir der die ein eine für mit auf nicht kostet viel haben wann welche unsere meine bitte',
  ],
  [
    'Je peux répondre en anglais ; posez votre question en anglais, s’il vous plaît.',
    'je est le la les des une et que quel quelle combien où vous nous pour avec dans pas peut puis comment qui sur votre vos mon notre ça coûte quoi',
  ],
  [
    'Puedo responder en inglés; por favor, haga su pregunta en inglés.',
    'es el la los las una y qué que cuánto cuanto dónde donde cómo como puedo para con su sus nuestro hay tiene tienen cuesta ustedes mi por está cuál',
  ],
  [
    'Posso rispondere in inglese; faccia la sua domanda in inglese, per favore.',
    'è il lo la gli una e che quanto dove come posso per con il vostro nostro avete ci sono costa quali quale mio di non chi della',
  ],
  [
    'Ik kan in het Engels antwoorden; stel uw vraag in het Engels, alstublieft.',
    'ik is het een en wat waar hoe wie kan kunnen jullie u wij van voor met op niet kost hoeveel zijn wanneer welke onze mijn de er',
  ],
  [
    'Posso responder em inglês; faça a sua pergunta em inglês, por favor.',
    'é o os as uma e que quanto onde como posso para com seu nosso vocês tem custa quais qual meu não está são da do',
  ],
];

const vocabularies = languages.map(([sentence, words]) => ({ sentence, words: new Set(words.split(' ')) }));

/** Words that English has, too, say nothing about the language. */
const english = new Set('is as do the was so die wie a on of we me as at in an for'.split(' '));

const wordsMin = 2;
const wordsMax = 60;

const demos = new Set(
  'demo demos démo démonstration demonstration vorführung vorfuehrung präsentation demostración demostracion dimostrazione demonstratie demonstração demonstracao apresentação'.split(
    ' ',
  ),
);

const wishes = new Set(
  'möchte moechte möchten hätte hätten will wollen brauche brauchen buchen vereinbaren bitte gerne gern voudrais voudrions veux souhaite souhaitons aimerais réserver demander quiero queremos quisiera gustaría gustaria necesito solicitar agendar reservar vorrei vorremmo voglio prenotare richiedere wil willen graag aanvragen boeken quero queria gostaria'.split(
    ' ',
  ),
);

const refusals = new Set(
  'kein keine keinen nicht pas aucune no non nessuna geen niet não nao sem sin ohne sans zonder'.split(' '),
);

/** The sentence, in their language, that says in which one to ask; undefined for what may be English. */
export function sentenceInLanguageOf(words: string): string | undefined {
  const said = words.split(' ').slice(0, wordsMax);
  const counted = vocabularies.map(({ sentence, words: own }) => ({
    sentence,
    count: said.filter((word) => own.has(word) && !english.has(word)).length,
  }));
  const best = counted.toSorted((a, b) => b.count - a.count)[0]!;
  return best.count >= wordsMin ? best.sentence : undefined;
}

/** Whether somebody asks for a demo in German, French, Spanish, Italian, Dutch or Portuguese. */
export function wantsDemoInOtherWords(words: string): boolean {
  const said = words.split(' ').slice(0, wordsMax);
  const has = (some: ReadonlySet<string>) => said.some((word) => some.has(word));
  return has(demos) && has(wishes) && !has(refusals) && !/\b(?:will|you|the|your|is)\b/.test(words);
}
