import { expect, test } from 'vitest';
import { evaluate } from '../expression.harness.ts';
import { splitName } from './name-parts.ts';

const names: [name: string, first: string, last: string][] = [
  ['Katherine Johnson', 'Katherine', 'Johnson'],
  ['katherine johnson', 'katherine', 'johnson'],
  ['  Ada   Lovelace ', 'Ada', 'Lovelace'],
  ['Mary Jackson Levy', 'Mary Jackson', 'Levy'],
  ['John F. Kennedy', 'John F.', 'Kennedy'],
  ['Mary-Jane Watson-Parker', 'Mary-Jane', 'Watson-Parker'],
  ["Conan O'Brien", 'Conan', "O'Brien"],
  ['Martin Luther King Jr.', 'Martin Luther', 'King Jr.'],
  ['Sammy Davis, Jr.', 'Sammy', 'Davis Jr.'],
  ['John D. Rockefeller III', 'John D.', 'Rockefeller III'],
  ['Dr. Jane Goodall', 'Jane', 'Goodall'],
  ['Prof. Dr. Angela Merkel', 'Angela', 'Merkel'],
  ['Mr. Bean', '', 'Bean'],
  ['Johnson, Katherine', 'Katherine', 'Johnson'],
  ['van Beethoven, Ludwig', 'Ludwig', 'van Beethoven'],
  ['Ada Lovelace (she/her)', 'Ada', 'Lovelace'],
  ['Ludwig van Beethoven', 'Ludwig', 'van Beethoven'],
  ['Eddie Van Halen', 'Eddie', 'Van Halen'],
  ['Van Morrison', 'Van', 'Morrison'],
  ['Ursula von der Leyen', 'Ursula', 'von der Leyen'],
  ['Robin van den Berg', 'Robin', 'van den Berg'],
  ['Charles de Gaulle', 'Charles', 'de Gaulle'],
  ['Jean-Luc du Bellay', 'Jean-Luc', 'du Bellay'],
  ['Leonardo da Vinci', 'Leonardo', 'da Vinci'],
  ['Juan de la Cruz', 'Juan', 'de la Cruz'],
  ['José Ortega y Gasset', 'José', 'Ortega y Gasset'],
  ['José Eduardo dos Santos', 'José Eduardo', 'dos Santos'],
  ['Antoni Gaudí i Cornet', 'Antoni', 'Gaudí i Cornet'],
  ['Björk Guðmundsdóttir', 'Björk', 'Guðmundsdóttir'],
  ['Hilma af Klint', 'Hilma', 'af Klint'],
  ['Øystein Ødegård', 'Øystein', 'Ødegård'],
  ['Olga Tokarczuk', 'Olga', 'Tokarczuk'],
  ['Лев Николаевич Толстой', 'Лев Николаевич', 'Толстой'],
  ['Μαρία Κάλλας', 'Μαρία', 'Κάλλας'],
  ['Mohammed bin Salman', 'Mohammed', 'bin Salman'],
  ['Abdel Fattah el-Sisi', 'Abdel Fattah', 'el-Sisi'],
  ['محمد بن سلمان', 'محمد', 'بن سلمان'],
  ['Chimamanda Ngozi Adichie', 'Chimamanda Ngozi', 'Adichie'],
  ['Rabindranath Tagore', 'Rabindranath', 'Tagore'],
  ['田中 太郎', '太郎', '田中'],
  ['佐々木　希', '希', '佐々木'],
  ['김 민준', '민준', '김'],
  ['Cher', '', 'Cher'],
  ['Suharto', '', 'Suharto'],
  ['王小明', '', '王小明'],
  ['(form)', '', '(form)'],
  ['', '', ''],
  [' \u00a0\t', '', ''],
  ['de Gaulle', '', 'de Gaulle'],
  ['Smith, John, Jr.', 'John', 'Smith Jr.'],
  ['Mary Ann E Smith', 'Mary Ann E', 'Smith'],
];

test.each(names)('name_parts(%j) has the first name %j and the last name %j', (name, first, last) => {
  expect(splitName(name)).toEqual({ first, last });
});

test.each([
  // Names with two last names but no connective, and names in Latin letters with the family name first, are split
  // wrongly.
  ['Gabriel García Márquez', 'Gabriel García', 'Márquez'],
  ['Nagy Péter', 'Nagy', 'Péter'],
  ['Xi Jinping', 'Xi', 'Jinping'],
  ['Nguyễn Thị Minh Khai', 'Nguyễn Thị Minh', 'Khai'],
])('a limit that the documentation names: name_parts(%j) has %j and %j', (name, first, last) => {
  expect(splitName(name)).toEqual({ first, last });
});

test('an expression can read the parts of a name, and fails for a value that is not a string', () => {
  const payload = { name: 'Ludwig van Beethoven', none: null, n: 5 };
  expect(evaluate('name_parts(payload.name).last', payload)).toBe('van Beethoven');
  expect(evaluate('name_parts(payload.name)', payload)).toEqual({ first: 'Ludwig', last: 'van Beethoven' });
  expect(() => evaluate('name_parts(payload.none)', payload)).toThrow('A function needs a string, but got: null.');
  expect(() => evaluate('name_parts(payload.n)', payload)).toThrow('A function needs a string, but got: number.');
});

test('a part that does not exist is refused before the expression runs', () => {
  expect(() => evaluate('name_parts(payload.name).frist')).toThrow(
    'The result of name_parts() has no field frist. Did you mean first?',
  );
});

test.each([
  ['words', 'a '.repeat(400_000)],
  ['commas', ','.repeat(800_000)],
  ['parentheses', `${'('.repeat(400_000)})`],
  ['spaces', `a${' '.repeat(800_000)}b`],
])('a text of very many %s is refused before it is read', (_what, name) => {
  expect(() => evaluate('name_parts(payload.name)', { name })).toThrow('The expression takes too long');
});

test.each([
  ['words', 'a '.repeat(100_000)],
  ['commas', ','.repeat(200_000)],
  ['parentheses', `${'('.repeat(200_000)})`],
  ['spaces', `a${' '.repeat(200_000)}b`],
])('a text of 200,000 characters, all %s, is split in linear time', (_what, name) => {
  // Measures the CPU time of this thread, because other threads may use the CPU at the same time.
  const before = process.threadCpuUsage().user;
  splitName(name);
  expect((process.threadCpuUsage().user - before) / 1_000).toBeLessThan(500);
});
