import type { Vote } from '../chat/message.ts';
import { icons } from './icons.tsx';

interface VotesProps {
  vote: Vote | undefined;
  onVote: (vote: Vote) => void;
}

const choices = [
  { choice: 'up', label: 'Good answer' },
  { choice: 'down', label: 'Bad answer' },
] as const;

/** Shows thumbs up and down. A vote cannot be changed. */
export function Votes({ vote, onVote }: VotesProps) {
  return (
    <div class="votes" part="votes" role="group" aria-label="Was this helpful?">
      {choices.map(({ choice, label }) => (
        <button
          type="button"
          class={`thumb ${choice}`}
          aria-label={label}
          title={label}
          aria-pressed={vote === choice}
          aria-disabled={vote !== undefined}
          onClick={() => onVote(choice)}
        >
          {icons.thumb}
        </button>
      ))}
    </div>
  );
}
