/** Irregular forms. Each line begins with the base word. */
const lines = `
be been being was were
become became
begin began begun
break broke broken
bring brought
build built
buy bought
child children
choose chose chosen
come came
deal dealt
do did done
draw drew drawn
drive drove driven
fall fell fallen
feel felt
forget forgot forgotten
freeze froze frozen
get got gotten
give gave given
go went gone
grow grew grown
hide hid hidden
hold held
keep kept
know knew known
lay laid
lead led
leave left
lend lent
lose lost
make made
mean meant
meet met
pay paid
person people persons
run ran
say said
see saw seen
sell sold
send sent
show shown
speak spoke spoken
spend spent
stand stood
steal stole stolen
stick stuck
take took taken
teach taught
tell told
think thought
throw threw thrown
understand understood
undo undid undone
wake woke woken
wear wore worn
win won
write wrote written
`;

const words = new Map(
  lines
    .trim()
    .split('\n')
    .flatMap((line) => line.split(' ').map((form) => [form, line.split(' ')[0]!] as const)),
);

/** Returns the base word of an irregular form, or the word itself. */
export function baseForm(word: string): string {
  return words.get(word) ?? word;
}
