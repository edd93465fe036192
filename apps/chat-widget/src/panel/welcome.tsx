import { icons } from './icons.tsx';
import type { WidgetSettings } from './settings.ts';

interface WelcomeProps {
  settings: WidgetSettings;
  onAsk: (question: string) => void;
}

/** Shows the greeting before the first question. */
export function Welcome({ settings: { greeting, suggestions }, onAsk }: WelcomeProps) {
  return (
    <div class="welcome">
      <span class="avatar">{icons.spark}</span>
      <p class="greeting" dir="auto">
        {greeting}
      </p>
      <p class="hint">Answers come from our documentation, with their sources.</p>
      {suggestions.length > 0 && (
        <ul class="suggestions" aria-label="Suggestions">
          {suggestions.map((suggestion) => (
            <li key={suggestion}>
              <button type="button" part="suggestion" onClick={() => onAsk(suggestion)}>
                <span dir="auto">{suggestion}</span>
                {icons.arrow}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
