// Names as a shop's members have them: few first names and surnames are very common, most are rare, and some are not in
// Latin letters. They are made from syllables with a fixed seed, so every run loads the same people.
import { createRandom } from '../server/test/create-random.ts';

const FIRST =
  'María José Antonio Manuel Ana Carmen Francisco Laura Juan David Marta Lucía Javier Daniel Cristina Paula Carlos Miguel Sara Elena Raquel Jesús Pilar Alejandro Mercedes Rafael Pedro Ángel Martín Mateo Sofía Valentina Camila Julieta Emma Olivia Noah Liam James William Mary Margaret Michael Thomas Emily Jack Harry Jürgen Müge Zeynep İbrahim Ömer Björn Søren Łukasz Zoë Chloé Renée François Иван Мария Сергей Ольга Ёлка 王小明 李娜 山田太郎 김민준 Νίκος Ελένη Đức Ngọc'.split(
    ' ',
  );
const SURNAMES =
  "García Rodríguez González Fernández López Martínez Sánchez Pérez Gómez Martín Jiménez Hernández Ruiz Díaz Moreno Muñoz Álvarez Romero Gutiérrez Alonso Navarro Torres Domínguez Ramos Vázquez Ramírez Gil Serrano Molina Castro Ortiz Rubio Marín Iglesias Smith Jones Taylor Brown Williams O'Brien O’Connor MacDonald Müller Schmidt Weiß Groß Strauß Yılmaz Şahin Çelik Nowak Kowalski Иванов Смирнова Papadopoulos Nguyễn Trần".split(
    ' ',
  );

/** Words for `count` names, most common first. */
export function makeNames(): { first: readonly string[]; surnames: readonly string[] } {
  const random = createRandom(19_700_101);
  const pick = (from: string) => from[random.below(from.length)]!;
  const syllable = () => pick('bcdfghjklmnprstvz') + pick('aeiouáéíóú');
  const invent = (count: number) =>
    Array.from({ length: count }, () => {
      const word = Array.from({ length: 2 + random.below(3) }, syllable).join('');
      return word[0]!.toUpperCase() + word.slice(1);
    });
  return { first: [...FIRST, ...invent(400)], surnames: [...SURNAMES, ...invent(20_000)] };
}
