/** A member of the demo. Each comes at a rhythm of their own. */
export interface DemoPerson {
  readonly name: string;
  /** The part of the address before `@example.com`. */
  readonly address: string;
  /** The week of the demo's history in which they join. */
  readonly joins: number;
  /** How many days in ten they buy something. */
  readonly daysInTen: number;
  /** The week of the demo's history in which they have their birthday; null if they have not told it. */
  readonly birthday: number | null;
}

/** The first is the member to sign in as. Weeks count from 0. */
export const demoPeople: readonly DemoPerson[] = [
  { name: 'Nora', address: 'nora', joins: 0, daysInTen: 2, birthday: 29 },
  { name: 'Mateus', address: 'mateus', joins: 0, daysInTen: 4, birthday: 8 },
  { name: 'Aisha', address: 'aisha', joins: 0, daysInTen: 7, birthday: null },
  { name: 'Yuki', address: 'yuki', joins: 0, daysInTen: 2, birthday: null },
  { name: 'Inês', address: 'ines', joins: 0, daysInTen: 6, birthday: 14 },
  { name: 'Tomasz', address: 'tomasz', joins: 0, daysInTen: 3, birthday: null },
  { name: 'Priya', address: 'priya', joins: 0, daysInTen: 4, birthday: 21 },
  { name: 'Lena', address: 'lena', joins: 0, daysInTen: 1, birthday: null },
  { name: 'Chidi', address: 'chidi', joins: 3, daysInTen: 3, birthday: null },
  { name: 'Sofía', address: 'sofia', joins: 3, daysInTen: 5, birthday: 25 },
  { name: 'Omar', address: 'omar', joins: 3, daysInTen: 2, birthday: null },
  { name: 'Mei', address: 'mei', joins: 3, daysInTen: 4, birthday: null },
  { name: 'Siobhán', address: 'siobhan', joins: 9, daysInTen: 2, birthday: 30 },
  { name: 'Luca', address: 'luca', joins: 9, daysInTen: 3, birthday: null },
  { name: 'Zeynep', address: 'zeynep', joins: 9, daysInTen: 4, birthday: null },
  { name: 'Kwame', address: 'kwame', joins: 9, daysInTen: 1, birthday: null },
  { name: 'Hana', address: 'hana', joins: 17, daysInTen: 3, birthday: null },
  { name: 'Ravi', address: 'ravi', joins: 17, daysInTen: 2, birthday: null },
  { name: 'Anneke', address: 'anneke', joins: 17, daysInTen: 4, birthday: null },
  { name: 'Diego', address: 'diego', joins: 17, daysInTen: 1, birthday: null },
  { name: 'Thandi', address: 'thandi', joins: 26, daysInTen: 3, birthday: null },
  { name: 'Jonas', address: 'jonas', joins: 26, daysInTen: 2, birthday: null },
  { name: 'Leila', address: 'leila', joins: 26, daysInTen: 3, birthday: null },
  { name: 'Marek', address: 'marek', joins: 31, daysInTen: 4, birthday: null },
];
