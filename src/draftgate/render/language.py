"""The fixed sentences of posted texts and replies, in the languages that Draftgate speaks by itself.

Labels (``issue (blocking)``), commands and settings are names and stay as they are; what a check or a model wrote
is in its own language. The checkpoint and the terminal are in English.
"""
# ruff: noqa: RUF001 - other languages have other punctuation

from __future__ import annotations

from dataclasses import dataclass

FALLBACK = "en"


@dataclass(frozen=True, slots=True)
class Sentences:
    """One language. A name in braces is replaced by Markdown of ours.

    Attributes:
        reviewed: The first line of a review.
        addressed, see_thread: What became of an earlier finding, in parentheses after it.
        about: The true place of a finding whose thread hangs elsewhere.
        suggested: Above a suggested change that cannot be applied with a click.
        delete_lines: In place of one that deletes.
        too_long: In place of one that is too long.
        characters: After a text that was cut.
        without_thread: The heading of the findings that stand in the body.
        more: In place of the lines of a body for which there is no room.
        no_room: In place of whole findings for which there is none.
        done, not_done, instead: What became of a command, and what to write.
        you_may_not: Why a command of someone else is not done.
        who_may, setting: Before who may give it, and before the setting that would let them.
        verdict_refused: Why a review was not submitted.
        would_submit: Above the command that would submit it.
        running: Why a command is not done while a review is made.
        once_shown: What to do then.
        the_run: The text of a link.
        superseded: Why a command is not done after a push.
        new_round: Above the command for a new round.
        nothing_posted: After an approval that could not be done.
    """

    reviewed: str
    addressed: str
    see_thread: str
    about: str
    suggested: str
    delete_lines: str
    too_long: str
    characters: str
    without_thread: str
    more: str
    no_room: str
    done: str
    not_done: str
    instead: str
    you_may_not: str
    who_may: str
    setting: str
    verdict_refused: str
    would_submit: str
    running: str
    once_shown: str
    the_run: str
    superseded: str
    new_round: str
    nothing_posted: str


LANGUAGES = {
    "en": Sentences(
        reviewed="Draftgate reviewed {head}, and a person approved what is published here.",
        addressed="code changed, addresses it",
        see_thread="see thread",
        about="This is about {place}.",
        suggested="Suggested change:",
        delete_lines="Suggested change: delete these lines.",
        too_long="The suggested change is too long to be posted here.",
        characters="{count} characters in all",
        without_thread="Without a thread",
        more="and {count} more, each in its thread",
        no_room="{count} more do not fit here.",
        done="Done",
        not_done="Not done",
        instead="Instead",
        you_may_not="you may not give this command here.",
        who_may="Who may",
        setting="This setting would allow it:",
        verdict_refused="the review was not submitted with this verdict.",
        would_submit="This would submit it:",
        running="a review is being made.",
        once_shown="Give the command again once its findings are shown.",
        the_run="the run",
        superseded="the change is no longer what was reviewed.",
        new_round="This starts a new review:",
        nothing_posted="Nothing was posted.",
    ),
    "de": Sentences(
        reviewed="Draftgate hat {head} geprüft, und ein Mensch hat freigegeben, was hier veröffentlicht ist.",
        addressed="durch geänderten Code behoben",
        see_thread="siehe Thread",
        about="Gemeint ist {place}.",
        suggested="Vorgeschlagene Änderung:",
        delete_lines="Vorgeschlagene Änderung: diese Zeilen löschen.",
        too_long="Die vorgeschlagene Änderung ist zu lang, um hier zu stehen.",
        characters="insgesamt {count} Zeichen",
        without_thread="Ohne Thread",
        more="und {count} weitere, jeder in seinem Thread",
        no_room="{count} weitere finden hier keinen Platz.",
        done="Erledigt",
        not_done="Nicht ausgeführt",
        instead="Stattdessen",
        you_may_not="Sie dürfen diesen Befehl hier nicht geben.",
        who_may="Wer darf",
        setting="Diese Einstellung würde es erlauben:",
        verdict_refused="das Review wurde mit diesem Urteil nicht abgegeben.",
        would_submit="Damit würde es abgegeben:",
        running="gerade läuft ein Review.",
        once_shown="Geben Sie den Befehl noch einmal, sobald die Befunde zu sehen sind.",
        the_run="zum Lauf",
        superseded="die Änderung ist nicht mehr die, die geprüft wurde.",
        new_round="Damit beginnt ein neues Review:",
        nothing_posted="Es wurde nichts veröffentlicht.",
    ),
    "fr": Sentences(
        reviewed="Draftgate a relu {head}, et une personne a approuvé ce qui est publié ici.",
        addressed="corrigé par une modification du code",
        see_thread="voir le fil",
        about="Cela concerne {place}.",
        suggested="Modification proposée :",
        delete_lines="Modification proposée : supprimer ces lignes.",
        too_long="La modification proposée est trop longue pour être publiée ici.",
        characters="{count} caractères en tout",
        without_thread="Sans fil de discussion",
        more="et {count} de plus, chacune dans son fil",
        no_room="{count} de plus ne tiennent pas ici.",
        done="Fait",
        not_done="Non exécuté",
        instead="À la place",
        you_may_not="vous ne pouvez pas donner cette commande ici.",
        who_may="Qui le peut",
        setting="Ce réglage le permettrait :",
        verdict_refused="la revue n’a pas été envoyée avec ce verdict.",
        would_submit="Ceci l’enverrait :",
        running="une revue est en cours.",
        once_shown="Redonnez la commande quand ses remarques seront affichées.",
        the_run="l’exécution",
        superseded="la modification n’est plus celle qui a été relue.",
        new_round="Ceci lance une nouvelle revue :",
        nothing_posted="Rien n’a été publié.",
    ),
    "es": Sentences(
        reviewed="Draftgate revisó {head} y una persona aprobó lo que se publica aquí.",
        addressed="resuelto al cambiar el código",
        see_thread="ver el hilo",
        about="Se trata de {place}.",
        suggested="Cambio propuesto:",
        delete_lines="Cambio propuesto: borrar estas líneas.",
        too_long="El cambio propuesto es demasiado largo para publicarlo aquí.",
        characters="{count} caracteres en total",
        without_thread="Sin hilo",
        more="y {count} más, cada una en su hilo",
        no_room="{count} más no caben aquí.",
        done="Hecho",
        not_done="No se ha hecho",
        instead="En su lugar",
        you_may_not="usted no puede dar esta orden aquí.",
        who_may="Quién puede",
        setting="Este ajuste lo permitiría:",
        verdict_refused="la revisión no se envió con este veredicto.",
        would_submit="Esto la enviaría:",
        running="hay una revisión en curso.",
        once_shown="Repita la orden cuando se muestren sus observaciones.",
        the_run="la ejecución",
        superseded="el cambio ya no es el que se revisó.",
        new_round="Esto inicia una nueva revisión:",
        nothing_posted="No se ha publicado nada.",
    ),
    "pt": Sentences(
        reviewed="O Draftgate revisou {head}, e uma pessoa aprovou o que está publicado aqui.",
        addressed="resolvido pela mudança no código",
        see_thread="ver a discussão",
        about="Trata-se de {place}.",
        suggested="Mudança sugerida:",
        delete_lines="Mudança sugerida: apagar estas linhas.",
        too_long="A mudança sugerida é longa demais para ser publicada aqui.",
        characters="{count} caracteres no total",
        without_thread="Sem discussão própria",
        more="e mais {count}, cada uma na sua discussão",
        no_room="mais {count} não cabem aqui.",
        done="Feito",
        not_done="Não foi feito",
        instead="Em vez disso",
        you_may_not="você não pode dar este comando aqui.",
        who_may="Quem pode",
        setting="Esta configuração permitiria:",
        verdict_refused="a revisão não foi enviada com este veredito.",
        would_submit="Isto a enviaria:",
        running="há uma revisão em andamento.",
        once_shown="Repita o comando quando as observações forem mostradas.",
        the_run="a execução",
        superseded="a mudança não é mais a que foi revisada.",
        new_round="Isto inicia uma nova revisão:",
        nothing_posted="Nada foi publicado.",
    ),
    "it": Sentences(
        reviewed="Draftgate ha esaminato {head} e una persona ha approvato ciò che è pubblicato qui.",
        addressed="risolto modificando il codice",
        see_thread="vedi la discussione",
        about="Si tratta di {place}.",
        suggested="Modifica proposta:",
        delete_lines="Modifica proposta: eliminare queste righe.",
        too_long="La modifica proposta è troppo lunga per essere pubblicata qui.",
        characters="{count} caratteri in tutto",
        without_thread="Senza discussione",
        more="e altre {count}, ognuna nella sua discussione",
        no_room="altre {count} non trovano posto qui.",
        done="Fatto",
        not_done="Non eseguito",
        instead="Invece",
        you_may_not="qui non è consentito dare questo comando.",
        who_may="Chi può",
        setting="Questa impostazione lo permetterebbe:",
        verdict_refused="la revisione non è stata inviata con questo verdetto.",
        would_submit="Questo la invierebbe:",
        running="è in corso una revisione.",
        once_shown="Ripetere il comando quando le osservazioni saranno visibili.",
        the_run="l’esecuzione",
        superseded="la modifica non è più quella esaminata.",
        new_round="Questo avvia una nuova revisione:",
        nothing_posted="Non è stato pubblicato nulla.",
    ),
    "nl": Sentences(
        reviewed="Draftgate heeft {head} beoordeeld, en een mens heeft goedgekeurd wat hier gepubliceerd is.",
        addressed="opgelost door gewijzigde code",
        see_thread="zie de discussie",
        about="Dit gaat over {place}.",
        suggested="Voorgestelde wijziging:",
        delete_lines="Voorgestelde wijziging: verwijder deze regels.",
        too_long="De voorgestelde wijziging is te lang om hier te plaatsen.",
        characters="{count} tekens in totaal",
        without_thread="Zonder discussie",
        more="en nog {count}, elk in een eigen discussie",
        no_room="nog {count} passen hier niet.",
        done="Gedaan",
        not_done="Niet uitgevoerd",
        instead="In plaats daarvan",
        you_may_not="u mag deze opdracht hier niet geven.",
        who_may="Wie mag",
        setting="Deze instelling zou het toestaan:",
        verdict_refused="de review is niet met dit oordeel ingediend.",
        would_submit="Dit zou hem indienen:",
        running="er loopt een review.",
        once_shown="Geef de opdracht opnieuw zodra de bevindingen te zien zijn.",
        the_run="de uitvoering",
        superseded="de wijziging is niet meer wat beoordeeld is.",
        new_round="Dit begint een nieuwe review:",
        nothing_posted="Er is niets geplaatst.",
    ),
    "ja": Sentences(
        reviewed="Draftgate が {head} をレビューし、ここに公開された内容は人が承認しました。",
        addressed="コードの変更で対応済み",
        see_thread="スレッドを参照",
        about="対象は {place} です。",
        suggested="変更案：",
        delete_lines="変更案：これらの行を削除する。",
        too_long="変更案が長すぎるため、ここには掲載できません。",
        characters="全 {count} 文字",
        without_thread="スレッドのない指摘",
        more="ほか {count} 件はそれぞれのスレッドにあります",
        no_room="ほか {count} 件はここに収まりません。",
        done="完了",
        not_done="実行しませんでした",
        instead="代わりに",
        you_may_not="このコマンドを実行する権限がありません。",
        who_may="実行できる人",
        setting="次の設定で許可できます：",
        verdict_refused="この判定ではレビューを送信できませんでした。",
        would_submit="次のコマンドで送信できます：",
        running="レビューを実行中です。",
        once_shown="指摘が表示されてから、もう一度コマンドを書いてください。",
        the_run="実行ログ",
        superseded="変更はレビューされた時点のものではなくなっています。",
        new_round="次のコマンドで新しいレビューを始めます：",
        nothing_posted="何も投稿していません。",
    ),
    "zh": Sentences(
        reviewed="Draftgate 审查了 {head}，此处发布的内容已经人工批准。",
        addressed="代码已修改，问题已解决",
        see_thread="见讨论",
        about="这里指的是 {place}。",
        suggested="建议的修改：",
        delete_lines="建议的修改：删除这些行。",
        too_long="建议的修改太长，无法在此发布。",
        characters="共 {count} 个字符",
        without_thread="没有单独讨论的意见",
        more="另有 {count} 条，见各自的讨论",
        no_room="另有 {count} 条无法在此列出。",
        done="已完成",
        not_done="未执行",
        instead="请改为",
        you_may_not="你无权在此使用该命令。",
        who_may="谁可以",
        setting="以下设置可以允许：",
        verdict_refused="审查未能以该结论提交。",
        would_submit="以下命令可以提交：",
        running="审查正在进行。",
        once_shown="等审查意见显示后，请再次输入该命令。",
        the_run="运行记录",
        superseded="该变更已不是被审查时的版本。",
        new_round="以下命令开始新的审查：",
        nothing_posted="没有发布任何内容。",
    ),
}


def sentences(language: str) -> Sentences:
    """The sentences of a language (``de``, ``pt-BR``); English for one that is not spoken."""
    return LANGUAGES[language_of(language) or FALLBACK]


def language_of(language: str) -> str | None:
    """The language of the table that is meant, ``None`` if there is none."""
    primary = language.replace("_", "-").partition("-")[0].lower()
    return primary if primary in LANGUAGES else None
