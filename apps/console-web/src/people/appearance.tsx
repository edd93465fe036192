import { useState } from 'react';
import { areShortcutsOn, switchShortcuts } from '../ui/shortcuts.ts';
import { Checkbox } from '../ui/controls/field.tsx';
import { browserZone, showTimesInUtc, useAreTimesUtc } from '../ui/data/time.tsx';
import css from './people.module.css';

const themes = [
  ['', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

const densities = [
  ['', 'Compact'],
  ['comfortable', 'Comfortable'],
] as const;

/** Settings that are stored in this browser. `theme-first.js` applies theme and density before the first paint. */
export function Appearance() {
  const [isOn, setOn] = useState(areShortcutsOn);
  return (
    <div className={css.part}>
      <Choice name="theme" label="Theme" options={themes} />
      <Choice name="density" label="Density" options={densities} />
      <TimesChoice />
      <Checkbox
        checked={isOn}
        onChange={({ target }) => {
          switchShortcuts(target.checked);
          setOn(target.checked);
        }}
      >
        Enable single-key shortcuts such as <kbd>j</kbd>, <kbd>c</kbd> and <kbd>g</kbd> <kbd>d</kbd>. Press <kbd>?</kbd>{' '}
        to list them
      </Checkbox>
    </div>
  );
}

function TimesChoice() {
  const isUtc = useAreTimesUtc();
  return (
    <fieldset>
      <legend>Time zone</legend>
      <div className={css.choices}>
        {[false, true].map((value) => (
          <label key={String(value)}>
            <input type="radio" name="times" checked={isUtc === value} onChange={() => showTimesInUtc(value)} />
            {value ? 'UTC' : `Browser (${browserZone})`}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

type Options = readonly (readonly [value: string, text: string])[];

function Choice({ name, label, options }: { name: 'theme' | 'density'; label: string; options: Options }) {
  const [chosen, setChosen] = useState(document.documentElement.dataset[name] ?? '');
  const choose = (value: string) => {
    setChosen(value);
    if (value) document.documentElement.dataset[name] = value;
    else delete document.documentElement.dataset[name];
    localStorage.setItem(`relata.${name}`, value);
  };
  return (
    <fieldset>
      <legend>{label}</legend>
      <div className={css.choices}>
        {options.map(([value, text]) => (
          <label key={value}>
            <input type="radio" name={name} checked={chosen === value} onChange={() => choose(value)} />
            {text}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
