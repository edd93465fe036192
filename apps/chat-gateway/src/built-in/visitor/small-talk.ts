/**
 * Patterns of small talk, including questions about the assistant, and the answers. A pattern must match the whole
 * message.
 */
const smallTalk: readonly (readonly [said: RegExp, answer: string])[] = [
  [
    /^(?:hi+|hello|hey+|hiya|howdy|yo|hallo|moin|bonjour|hola|greetings|good (?:morning|afternoon|evening|day))(?: (?:there|all|everyone|team|you|again|to you))*$/,
    'Hello! What would you like to know?',
  ],
  [
    /^(?:(?:hi|hello|hey) )?(?:how are you|how are you doing|how is it going|hows it going|whats up|what is up)(?: today)?$/,
    'I am fine, thank you. What would you like to know?',
  ],
  [
    /^(?:(?:ok|okay|great|perfect|cool|nice|good|super|awesome) )*(?:thanks|thank you|thx|ty|cheers|merci|danke|gracias|much appreciated)(?: (?:a lot|so much|very much|you|for (?:the|your) (?:help|answer|info|information)|that helps|that was helpful|bye|again))*$/,
    'You are welcome! Is there anything else you would like to know?',
  ],
  [
    /^(?:(?:ok|okay|oh|well) )*(?:no|nope|nah|nein|non)(?: (?:thanks|thank you|thx|danke|merci|gracias|thats (?:all|it)|that is (?:all|it)))*$/,
    'No problem. If anything else comes to mind, just ask.',
  ],
  [
    /^(?:ok|okay|great|perfect|cool|nice|got it|i see|alright|all right|super|awesome|understood|good to know|makes sense)$/,
    'Good! Is there anything else you would like to know?',
  ],
  [
    /^(?:bye|goodbye|good bye|see you|see you later|ciao|have a (?:nice|good|great) day)(?: bye)?$/,
    'Goodbye, and thank you for stopping by!',
  ],
  [
    /^(?:(?:hi|hello|hey) )?(?:who are you|what are you|are you (?:a |an )?(?:bot|robot|human|real|ai|person|real person|chatbot|machine)|am i (?:talking|speaking) to (?:a |an )?(?:bot|robot|human|real person|person|machine)|what can you do|what can i ask(?: you)?|how can you help(?: me)?|can you help(?: me)?|i need help|help|i have a question|can i ask (?:you )?(?:something|a question))$/,
    'I am the assistant on this website. I answer questions from its pages and name the page that an answer comes from. What would you like to know?',
  ],
];

const lengthMax = 100;

const wordless: readonly (readonly [said: RegExp, answer: string])[] = [
  [/👋|🙋/u, 'Hello! What would you like to know?'],
  [/👍|👌|🙏|❤|😀|😊|🙂|🎉|✅/u, 'Good! Is there anything else you would like to know?'],
  [/[^]/, 'What would you like to know?'],
];

/** Returns the answer to small talk, or to a message without words; undefined for other messages. */
export function answerSmallTalk(said: string): string | undefined {
  if (said.length > lengthMax) return undefined;
  const words = plainWords(said);
  if (words === '') return wordless.find(([pattern]) => pattern.test(said))?.[1];
  return smallTalk.find(([pattern]) => pattern.test(words))?.[1];
}

/** Returns text in lower case, with single spaces between words and without punctuation. */
export function plainWords(text: string): string {
  return text
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{N}_]+/gu, ' ')
    .trim();
}
