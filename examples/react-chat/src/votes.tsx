import { useState } from 'react';
import { type Gateway, sendVote, type Vote } from './gateway.ts';

const choices = [
  { choice: 'up', label: 'Good answer', text: '👍' },
  { choice: 'down', label: 'Bad answer', text: '👎' },
] as const;

/** Shows buttons to vote on an answer. Only the first vote counts, so it cannot be changed. */
export function Votes({ gateway, answerId }: { gateway: Gateway; answerId: string }) {
  const [vote, setVote] = useState<Vote>();
  const choose = (choice: Vote) => {
    setVote(choice);
    void sendVote(gateway, answerId, choice);
  };
  return (
    <div role="group" aria-label="Was this helpful?">
      {choices.map(({ choice, label, text }) => (
        <button
          key={choice}
          aria-label={label}
          aria-pressed={vote === choice}
          disabled={vote !== undefined}
          onClick={() => choose(choice)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
