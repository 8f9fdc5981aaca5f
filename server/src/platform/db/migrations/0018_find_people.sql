-- People are found by the beginning of any word of their name, at once in a commerce of a million members. `member_words`
-- holds the words of each name without case and accents, and a trigger keeps it up to date, whichever release writes the
-- name. Members get no column of it, and a purchase does not touch it.
--
-- Locks: writes to `members` wait while the trigger is created, for an instant. The names that are there already are
-- brought in afterwards by the procedure `finish_member_words`, which `migrate` calls and drops: it locks 500 members at a
-- time, for less than 0.1 seconds, and reads never wait. A million members take two minutes and 450 MB.
--
-- The previous release goes on working meanwhile and after, and people whom it enters are found too.

-- The words of a name as they are compared: without case, accents and punctuation. The only place of this rule: the
-- trigger calls it for names, and a search for the typed text. It does without the collations of the server, so that every
-- server gives the same words.
--
-- A name with an apostrophe is found by both readings, `obrien` and `brien`. A name in Chinese or Japanese has no spaces, so
-- each of its characters begins a word, and in a Korean one each syllable.
--
-- A typed text has one reading: `typed` leaves the others out.
create function search_words(name text, typed boolean default false) returns text[]
  language plpgsql immutable parallel safe as $$
declare
  plain text := name;
  words text[];
  kept  text[] := '{}';
  word  text;
  solid constant text := '[\u1100-\u1112\u2e80-\u2fdf\u3005-\u3007\u3041-\u30fa\u30fc-\u30ff\u3105-\u312f\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]';
  -- All other characters past ASCII are letters.
  apart constant text := '[^a-z0-9\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u1fff\u2c00-\u2dff\u2e80-\u2fff\u3005-\u3007\u3021-\u302f\u3031-\u303c\u3040-\u30fa\u30fc-\ud7ff\ue000-\ufe2f\ufe50-\U0001efff\U0001fb00-\U0010fffd]+';
begin
  if plain ~ '[^ -~]' then
    plain := normalize(translate(plain, '´‘’ʻʼ′＇', ''''''''''''''''), NFKD);
    -- Accents of the scripts that can do without them, and characters that nobody sees.
    plain := regexp_replace(plain, '[\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20ff\u3099\u309a\ufe00-\ufe0f\ufe20-\ufe2f\ufeff]', '', 'g');
    plain := translate(plain,
      'ØøĐđÐðŁłĦħŦŧıς' ||
      'ŊƁƊƏƎƐƆƔƖƗƘƝƟƱƲƳƷȜΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ' ||
      'АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӀӃӅӇӉӋӍӔӘӠӨӶӺӼӾԐԒԚԜԤԦԨԮ' ||
      'ԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖ',
      'ooddddllhhttiσ' ||
      'ŋɓɗəǝɛɔɣɩɨƙɲɵʊʋƴʒȝαβγδεζηθικλμνξοπρστυφχψω' ||
      'абвгдежзиклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏӄӆӈӊӌӎӕәӡөӷӻӽӿԑԓԛԝԥԧԩԯ' ||
      'աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ');
    plain := replace(replace(replace(replace(replace(replace(replace(replace(plain,
      'ß', 'ss'), 'ẞ', 'ss'), 'æ', 'ae'), 'Æ', 'ae'), 'œ', 'oe'), 'Œ', 'oe'), 'þ', 'th'), 'Þ', 'th');
  end if;
  plain := lower(plain collate "C");

  words := regexp_split_to_array(regexp_replace(plain, '[''`]', '', 'g'), apart);
  if plain ~ '[''`]' and not typed then
    words := words || regexp_split_to_array(plain, apart);
  end if;
  if plain ~ solid and not typed then
    foreach word in array words loop
      words := words || array(select substr(word, i) from generate_series(2, length(word)) as i
                               where substr(word, i, 1) ~ solid);
    end loop;
  end if;

  -- Each once, and bounded, so that they fit into an index.
  foreach word in array words loop
    word := left(word, 30);
    if word <> '' and word <> all (kept) and cardinality(kept) < 16 then
      kept := kept || word;
    end if;
  end loop;
  return kept;
end $$;

-- The words of the names. `name` has all of them in their order, as far as it is needed to put people in order. Somebody
-- without a name has one row with a word that comes after all others. So everybody is in the index once as the row
-- whose word is the first of its name, in the order of the names.
--
-- Only the trigger writes here, in the statement that writes the member, and members are never deleted. So there is no
-- foreign key, whose check would be half the cost of an import.
create table member_words (
  commerce_id bigint not null,
  member_id   bigint not null,
  word        text collate "C" not null,
  name        text collate "C" not null,
  primary key (commerce_id, member_id, word)
);

-- Answers a search from the index alone.
create index member_words_found on member_words (commerce_id, word, name, member_id);

-- The rows of `member_words` for a name.
create function rows_of_name(username text) returns table (word text, name text) language sql immutable as $$
  select u.word, left(array_to_string(w.words, ' '), 80)
    from (select search_words(coalesce(username, '')) as words offset 0) as s
   cross join lateral (select case when s.words = '{}' then array[U&'\+10FFFF'] else s.words end as words) as w
   cross join lateral unnest(w.words) as u(word)
$$;

create function note_words_of_member() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    delete from member_words w where w.commerce_id = new.commerce_id and w.member_id = new.id;
  end if;
  insert into member_words (commerce_id, member_id, word, name)
  select new.commerce_id, new.id, r.word, r.name from rows_of_name(new.username) as r;
  return null;
end $$;

create trigger members_are_found after insert on members for each row execute function note_words_of_member();
create trigger renamed_members_are_found after update of username on members for each row
  when (new.username is distinct from old.username) execute function note_words_of_member();

-- Brings in the names that are there. It may be interrupted and called again, and by two processes at once.
create procedure finish_member_words() language plpgsql as $$
declare
  shop  bigint;
  batch bigint[];
  after bigint;
begin
  for shop in select c.id from commerces c order by c.id loop
    after := 0;
    loop
      -- Locked, so that nobody is renamed between the reading of a name and the storing of its words.
      select array_agg(id order by id) into batch
        from (select id from members where commerce_id = shop and id > after order by id limit 500 for no key update) as m;
      exit when batch is null;
      insert into member_words (commerce_id, member_id, word, name)
      select shop, m.id, r.word, r.name
        from unnest(batch) as b(id)
        join members m on m.commerce_id = shop and m.id = b.id
       cross join lateral rows_of_name(m.username) as r
       where not exists (select from member_words w where w.commerce_id = shop and w.member_id = b.id)
          on conflict do nothing;
      commit;
      after := batch[cardinality(batch)];
    end loop;
  end loop;
end $$;
